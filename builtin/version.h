/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PSTAT_BUILTIN_VERSION_H
#define PSTAT_BUILTIN_VERSION_H

/*
 * To stdout: pstat's version; with @verbose 1 the libraries' versions too, with 2 also what this kernel allows, each line
 * found by trying.
 */
void version__print(int verbose);

#endif
