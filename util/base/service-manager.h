/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes over the listening socket that a service manager such as systemd passes (sd_listen_fds(3)),
 * and reports the state of the service to the manager (sd_notify(3)).
 */
#ifndef PSTAT_BASE_SERVICE_MANAGER_H
#define PSTAT_BASE_SERVICE_MANAGER_H

struct strbuf;

/*
 * Returns the listening stream socket that the manager passed to this process, or -1 if the manager
 * passed no socket. The caller owns the socket, which is close-on-exec. If the manager passed
 * sockets, removes LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES from the environment. If the manager
 * passed several sockets, or a socket that is not a listening stream socket, returns -EINVAL with
 * the reason in @why.
 */
int service_manager__take_socket(struct strbuf *why);

/*
 * Sends @state, for example "READY=1", if the manager has set NOTIFY_SOCKET. Does not wait, and
 * ignores errors, because the service works even if the manager does not learn the state.
 */
void service_manager__notify(const char *state);

#endif
