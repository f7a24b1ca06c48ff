// SPDX-License-Identifier: GPL-2.0-only
/* access, linked to one address (see the Makefile), where access itself can be loaded anywhere. */
#include "access.c"
