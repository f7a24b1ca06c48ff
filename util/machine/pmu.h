/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One PMU as the kernel shows it under /sys/bus/event_source/devices/NAME (Documentation/ABI/testing/sysfs-bus-event_source-devices-*):
 *
 *	type		number for perf_event_attr.type
 *	format/TERM	which bits of which config word TERM sets: "config1:0-7,32-35"
 *	events/EVENT	terms of a named event: "event=0x3c,umask=0x1"; beside it EVENT.unit .scale .snapshot .per-pkg
 *	identifier	which revision of the hardware an uncore PMU is
 *	cpumask, cpus	CPUs on which to open: one per package or the like; those that have this kind of core
 *
 * Files are read when they are asked for first, each once.
 */
#ifndef PSTAT_MACHINE_PMU_H
#define PSTAT_MACHINE_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpumap;
struct pmu;
struct sysroots;

/* @words[n] is the mask of bits in config (0), config1 to config3; a value's bits go there from the lowest up, config first. */
struct pmu_format {
	uint64_t words[4];
	int width; /* bits in all of them, 1 to 256 */
};

/* Strings belong to the PMU. */
struct pmu_alias {
	const char *name;
	const char *terms;
	const char *unit; /* "" without */
	double scale;	  /* 0 without */
	bool snapshot;
	bool per_pkg;
};

/* Reads nothing yet; whether there is such a PMU shows in pmu__load(). NULL without memory. */
struct pmu *pmu__new(const struct sysroots *roots, const char *name);
/* The core PMU of a machine that shows none: name "cpu", type PERF_TYPE_RAW, no formats, no events. */
struct pmu *pmu__new_placeholder(void);
bool pmu__is_placeholder(const struct pmu *pmu);
void pmu__free(struct pmu *pmu);

/*
 * Type and CPUs. 0; -ENOENT, -EINVAL, -ERANGE … when a file is missing or holds something else, and then pmu__bad_file() says which.
 * The getters below it are of use after it has returned 0.
 */
int pmu__load(struct pmu *pmu);
const char *pmu__bad_file(const struct pmu *pmu);
uint32_t pmu__type(const struct pmu *pmu);
/* From cpumask or cpus; NULL when the PMU has neither: any CPU. Belongs to the PMU. */
const struct cpumap *pmu__cpus(const struct pmu *pmu);
/* It has a cpumask: it counts a package or the like. */
bool pmu__is_uncore(const struct pmu *pmu);
/* Its events can stand in any group: they are counted in software, or with no counter of their own. */
bool pmu__is_software(const struct pmu *pmu);

/* These need no load. */
const char *pmu__name(const struct pmu *pmu);
/* "cpu", s390's "cpum_cf", or a PMU with a file "cpus". */
bool pmu__is_core(struct pmu *pmu);
/* How long @name, a PMU's, is without the decimal number at its end. */
size_t pmu_name__stem_len(const char *name);
/* The second name that some PMUs have (file "alias"), or NULL. */
const char *pmu__second_name(struct pmu *pmu);
/* Returns the file "identifier", which names the hardware revision of an uncore PMU, or NULL. */
const char *pmu__identifier(struct pmu *pmu);
/*
 * Is @pattern a name of it, one of its names without a number at the end (uncore_imc or imc for uncore_imc_0), or a glob for
 * one? "uncore_" may be left out.
 */
bool pmu__matches(struct pmu *pmu, const char *pattern);

/* 0 and *@format; -ENOENT when there is no such term; -EINVAL when its file makes no sense, -errno when it cannot be read. */
int pmu__find_format(struct pmu *pmu, const char *term, struct pmu_format *format);
/* 0 and *@alias; -ENOENT when there is no such event; else why its files cannot be used. Case does not matter. */
int pmu__find_alias(struct pmu *pmu, const char *event, struct pmu_alias *alias);
/*
 * The bits of config to config3 that formats of the PMU have; all zero in a word that none has, and in all when a format cannot be
 * understood.
 */
void pmu__format_bits(struct pmu *pmu, uint64_t bits[4]);
/* Names, in order, until NULL. */
const char *pmu__format_name(struct pmu *pmu, int i);
const char *pmu__alias_name(struct pmu *pmu, int i);

#endif
