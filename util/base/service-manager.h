/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a service manager such as systemd and a service exchange: listening sockets that the
 * manager passes (sd_listen_fds(3)), and the state of the service (sd_notify(3)).
 */
#ifndef PSTAT_BASE_SERVICE_MANAGER_H
#define PSTAT_BASE_SERVICE_MANAGER_H

struct strbuf;

/*
 * Returns the listening stream socket that the manager passed to this process, or -1 if it passed
 * none. The socket belongs to the caller and is close-on-exec, and the variables are removed from
 * the environment. If there are several sockets, or if the only one does not listen for streams,
 * returns -EINVAL with the reason in @why.
 */
int service_manager__take_socket(struct strbuf *why);

/*
 * Sends @state, for example "READY=1", if the manager asked for it with NOTIFY_SOCKET. Does not
 * wait, and ignores errors, because the service also works if the manager does not know its state.
 */
void service_manager__notify(const char *state);

#endif
