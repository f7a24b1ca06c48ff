/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds out which session is the last one that uses --smi-cost, because it switches the setting
 * off. The sessions share the file /run/pstat-smi.lock:
 *
 *	content "1"	pstat switched the setting on, so the last session switches it off
 *	byte 0		locked while a session begins or ends
 *	byte 1		locked (shared) by each session that counts
 *
 * If SIGKILL ends a session, the kernel releases its locks, and the content remains. So the other
 * sessions, or the next one, still switch the setting off. If the file cannot be used, pstat warns,
 * and each session acts as if it were the only one.
 */
#ifndef PSTAT_BUILTIN_STAT_SMI_USERS_H
#define PSTAT_BUILTIN_STAT_SMI_USERS_H

#include <stdbool.h>

/* Begins a change: no other session begins or ends until stat_smi_users__done(). */
void stat_smi_users__lock(void);

/*
 * Joins the sessions that use the setting. Call this after stat_smi_users__lock(). @is_on: the
 * setting is on. Returns false, and does not join, if the user switched the setting on. It must
 * then stay on.
 */
bool stat_smi_users__join(bool is_on);

/*
 * Begins a change and leaves the sessions. Returns true if the caller has to switch the setting
 * off before stat_smi_users__done(). Signal handlers may call it.
 */
bool stat_smi_users__leave(void);

/* Ends a change. @is_off: the setting is now off. Signal handlers may call it. */
void stat_smi_users__done(bool is_off);

#endif
