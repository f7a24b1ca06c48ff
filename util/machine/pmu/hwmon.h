/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sensors in /sys/class/hwmon (Documentation/ABI/testing/sysfs-class-hwmon). As in perf stat since
 * Linux 6.14, each chip is a PMU, and each file <type><number>_input is an event of that PMU:
 *
 *	hwmon0/name		"coretemp"	the PMU is called hwmon_coretemp or hwmon0
 *	hwmon0/temp2_input	"43500"		the event is called temp2
 *	hwmon0/temp2_label	"Core 0"	the event is also called temp_core_0
 *
 * The kernel has no perf events for sensors, so pstat reads the values from the files.
 */
#ifndef PSTAT_MACHINE_HWMON_H
#define PSTAT_MACHINE_HWMON_H

#include <stdbool.h>

struct sysroots;

#define HWMON_NAME_SIZE 160

/* An event of a chip. `unit` and `what` point to constants. */
struct hwmon_event {
	char pmu[HWMON_NAME_SIZE];	  /* "hwmon_coretemp" */
	char directory[32];		  /* "hwmon0" */
	char name[32];			  /* "temp2" */
	char label_name[HWMON_NAME_SIZE]; /* "temp_core_0"; "" without a label */
	char label[128];		  /* "Core 0"; "" without a label */
	const char *unit;		  /* "'C"; "" without a unit */
	double scale;			  /* printed value = number in the file * scale */
	const char *what;		  /* "Temperature" */
};

/* Returns whether an event of a hwmon PMU can have the name @name. Does not read files. */
bool hwmon__is_event_name(const char *name);

/*
 * Calls @each for each event, in order of chip, type and number. Stops at the first result of @each
 * that is not 0, and returns this result. Otherwise, returns 0 or -ENOMEM.
 */
typedef int (*hwmon_fn)(const struct hwmon_event *event, void *arg);
int hwmon__for_each(const struct sysroots *roots, hwmon_fn each, void *arg);

/* Returns whether there is a chip whose PMU has the name @pmu. */
bool hwmon__has_pmu(const struct sysroots *roots, const char *pmu);

/*
 * Finds the event @name of the PMU @pmu. A name with a number, such as temp2, is accepted for every
 * chip, and text after the number is ignored. Does not check whether a sensor with this number
 * exists. If there is no such sensor, opening the event fails. Returns 0; -ENOENT if there is no
 * such PMU, type of sensor, or label; or -ENOMEM.
 */
int hwmon__find(const struct sysroots *roots, const char *pmu, const char *name,
		struct hwmon_event *event);

#endif
