/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads libmicrohttpd when a server starts. pstat is not linked dynamically with libmicrohttpd,
 * because every pstat command would then also load libgnutls and its dependencies. A static pstat
 * contains libmicrohttpd.
 */
#ifndef PSTAT_OUTPUT_LIBMICROHTTPD_H
#define PSTAT_OUTPUT_LIBMICROHTTPD_H

#include <microhttpd.h>

struct strbuf;

#define LIBMICROHTTPD_FUNCTIONS(F)         \
	F(MHD_add_response_header)         \
	F(MHD_create_response_from_buffer) \
	F(MHD_destroy_response)            \
	F(MHD_get_connection_info)         \
	F(MHD_lookup_connection_value)     \
	F(MHD_queue_response)              \
	F(MHD_resume_connection)           \
	F(MHD_start_daemon)                \
	F(MHD_stop_daemon)                 \
	F(MHD_suspend_connection)

/* Pointers to functions of libmicrohttpd. Each member has the name of its function. */
struct libmicrohttpd {
#define LIBMICROHTTPD_MEMBER(name) __typeof__(name) *name;
	LIBMICROHTTPD_FUNCTIONS(LIBMICROHTTPD_MEMBER)
#undef LIBMICROHTTPD_MEMBER
};

/*
 * Returns the functions, which stay valid until pstat ends, or NULL with the reason in @why if the
 * library cannot be loaded.
 */
const struct libmicrohttpd *libmicrohttpd__load(struct strbuf *why);

#endif
