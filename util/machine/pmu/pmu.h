/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One PMU in sysfs, /sys/bus/event_source/devices/NAME (the kernel's
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-*):
 *
 *	type		number for perf_event_attr.type
 *	format/TERM	the bits of config, config1, config2 or config3 that TERM sets:
 *			"config1:0-7,32-35"
 *	events/EVENT	terms of a named event: "event=0x3c,umask=0x1";
 *			optional files: EVENT.unit, .scale, .snapshot and .per-pkg
 *	alias		second name of the PMU
 *	identifier	hardware revision of an uncore PMU
 *	cpumask		CPUs on which to open events, for example one per package
 *	cpus		CPUs on which a core PMU counts
 *
 * The files in format/ are read whenever they are needed. All other files are read only once, when
 * they are first needed.
 */
#ifndef PSTAT_MACHINE_PMU_H
#define PSTAT_MACHINE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpumap;
struct pmu;
struct sysroots;

/*
 * The bits that a term sets. words[0] is a mask of bits in config, and words[1] to words[3] are
 * masks for config1 to config3. A value is stored in these bits from the lowest bit up, beginning
 * with config.
 */
struct pmu_format {
	uint64_t words[4];
	int width; /* number of bits in all words, 1 to 256 */
};

/* A named event of a PMU. The PMU owns the strings. */
struct pmu_alias {
	const char *name;
	const char *terms;
	const char *unit; /* "" if there is none */
	double scale;	  /* 0 if there is none */
	bool snapshot;
	bool per_pkg;
};

/*
 * Makes the object for the PMU @name. Does not read any file, and does not check whether the PMU
 * exists. Returns NULL if memory ran out.
 */
struct pmu *pmu__new(const struct sysroots *roots, const char *name);
/*
 * Makes a core PMU for a machine that has none in sysfs. The PMU's name is "cpu", its type is
 * PERF_TYPE_RAW, and it has no formats and no events. Returns NULL if memory ran out.
 */
struct pmu *pmu__new_placeholder(void);
bool pmu__is_placeholder(const struct pmu *pmu);
void pmu__free(struct pmu *pmu);

/*
 * Reads the type and the CPUs of the PMU. The next functions, up to pmu__is_software(), may only be
 * called after this function. Returns 0; -ENOENT if the file "type" is missing; or another -errno
 * if a file is malformed or cannot be read (-EINVAL, -ERANGE, ...). After an error, pmu__bad_file()
 * names the file.
 */
int pmu__load(struct pmu *pmu);
const char *pmu__bad_file(const struct pmu *pmu);
uint32_t pmu__type(const struct pmu *pmu);
/*
 * Returns the CPUs that the file cpumask or cpus lists. The PMU owns the result. Returns NULL if
 * neither file lists any CPU, which means that the PMU counts on any CPU.
 */
const struct cpumap *pmu__cpus(const struct pmu *pmu);
/*
 * Returns whether the PMU has a file cpumask, which means that it counts for a whole CPU package or
 * a similar set of CPUs.
 */
bool pmu__is_uncore(const struct pmu *pmu);
/*
 * Returns whether the PMU counts its events in software, or needs no hardware counter for them, so
 * that they can be in any group.
 */
bool pmu__is_software(const struct pmu *pmu);

/* The functions from here on do not need pmu__load(). */
const char *pmu__name(const struct pmu *pmu);
/*
 * Returns whether the PMU is a core PMU, which counts the events of CPU cores. The core PMUs are
 * "cpu", s390's "cpum_cf", and all PMUs with a file "cpus".
 */
bool pmu__is_core(struct pmu *pmu);
/* Returns the length of the PMU name @name without the decimal number at its end. */
size_t pmu__name_stem_len(const char *name);
/* Returns the second name of the PMU (file "alias"), or NULL if the PMU has no second name. */
const char *pmu__second_name(struct pmu *pmu);
/*
 * Returns the hardware revision of an uncore PMU (from the file "identifier"), or NULL if it is
 * unknown.
 */
const char *pmu__identifier(struct pmu *pmu);
/*
 * Returns whether @pattern is the name or the second name of the PMU, one of these names without
 * its final number (uncore_imc for uncore_imc_0), or a glob that matches one of these names. The
 * pattern may omit the prefix "uncore_".
 */
bool pmu__matches(struct pmu *pmu, const char *pattern);

/*
 * Returns 0 and sets *@format to the bits that @term sets; -ENOENT if there is no such term;
 * -EINVAL if the term's file is malformed; or another -errno if the file cannot be read.
 */
int pmu__find_format(struct pmu *pmu, const char *term, struct pmu_format *format);
/*
 * Finds the event whose name is @event, ignoring case. Returns 0 and sets *@alias; -ENOENT if there
 * is no such event; or another -errno if one of the event's files cannot be read or is malformed.
 */
int pmu__find_alias(struct pmu *pmu, const char *event, struct pmu_alias *alias);
/*
 * Sets @bits to masks of the bits that the formats of the PMU use: bits[0] for config, and bits[1]
 * to bits[3] for config1 to config3. Returns true; or false, with undefined @bits, if the PMU has
 * no formats, or if the file of a format is malformed or cannot be read.
 */
bool pmu__format_bits(struct pmu *pmu, uint64_t bits[4]);
/*
 * pmu__format_name() returns the name of term @i, and pmu__alias_name() returns the name of event
 * @i. Terms and events are numbered from 0 in alphabetical order. After the last name, both
 * functions return NULL.
 */
const char *pmu__format_name(struct pmu *pmu, int i);
const char *pmu__alias_name(struct pmu *pmu, int i);

#endif
