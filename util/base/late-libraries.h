/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BASE_LATE_LIBRARIES_H
#define PSTAT_BASE_LATE_LIBRARIES_H

#include <stdbool.h>

/*
 * Returns whether libjansson can be used, and loads it. The first call that fails warns, with the
 * reason and the package to install.
 */
bool late_libraries__have_jansson(void);

#endif
