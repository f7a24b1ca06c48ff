/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For fuzzers whose parsers read files: a machine made of files, which starts empty and is removed
 * when the process ends.
 */
#ifndef PSTAT_TESTS_FUZZ_MACHINE_H
#define PSTAT_TESTS_FUZZ_MACHINE_H

#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/test_event_roots.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fake_roots machine;

static void machine__remove(void)
{
	fake_roots__remove(&machine);
}

static inline void machine__init(void)
{
	fake_roots__init(&machine);
	atexit(machine__remove);
}

#endif
