// SPDX-License-Identifier: GPL-2.0-only
/*
 * The program access, linked to a fixed address (see the Makefile). access itself can be loaded at
 * any address.
 */
#include "access.c"
