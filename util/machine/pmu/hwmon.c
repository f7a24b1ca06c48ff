// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/pmu/hwmon.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/base/sysfs.h"
#include "util/machine/pmu/pmu-dir.h"

#define CLASS "class/hwmon"

/*
 * The types of sensors, with perf's units and factors. `scale` is the factor by which the number in
 * the file is multiplied to get the printed value. For energy and power, perf's factor is 1000
 * times too large, because the files contain microjoules and microwatts
 * (Documentation/hwmon/sysfs-interface.rst). pstat prints the same values as perf.
 */
static const struct sensor_type {
	const char *name, *unit;
	double scale;
	const char *what;
} types[] = {
	{ "cpu", "V", 0.001, "CPU core reference voltage" },
	{ "curr", "A", 0.001, "Current" },
	{ "energy", "J", 0.001, "Cumulative energy use" },
	{ "fan", "rpm", 1.0, "Fan" },
	{ "humidity", "%", 0.001, "Humidity" },
	{ "in", "V", 0.001, "Voltage" },
	{ "intrusion", "", 1.0, "Chassis intrusion detection" },
	{ "power", "W", 0.001, "Power use" },
	{ "pwm", "Hz", 1.0, "Pulse width modulation fan control" },
	{ "temp", "'C", 0.001, "Temperature" },
};

#define NR_TYPES (sizeof(types) / sizeof(types[0]))

/* The maximum number of digits in a sensor's name. */
#define NUMBER_LEN_MAX 9

/*
 * Splits "temp2…" into type, number and rest. In "temp_…", the number is -1, and the rest begins
 * after the '_'. Returns NULL if @name does not begin like a sensor's name.
 */
static const struct sensor_type *split(const char *name, long *number, const char **rest)
{
	size_t len = strcspn(name, "0123456789_"), digits = strspn(name + len, "0123456789");

	for (size_t i = 0; i < NR_TYPES && digits <= NUMBER_LEN_MAX; i++) {
		if (strlen(types[i].name) != len || strncasecmp(types[i].name, name, len))
			continue;
		if (!digits && name[len] != '_')
			return NULL;
		*number = digits ? strtol(name + len, NULL, 10) : -1;
		*rest = name + len + (digits ?: 1);
		return &types[i];
	}
	return NULL;
}

bool hwmon__is_event_name(const char *name)
{
	const char *rest;
	long number;

	return split(name, &number, &rest);
}

/*
 * Makes the name PREFIX_TEXT from @prefix and @text, with @text in lower case. Also writes '_'
 * instead of each character in @text that separates words in event strings.
 */
static void make_name(char *name, size_t size, const char *prefix, const char *text)
{
	snprintf(name, size, "%s_%s", prefix, text);
	for (char *c = name + strlen(prefix); *c; c++)
		*c = strchr(" :,/\n\t", *c) ? '_' : (char)tolower((unsigned char)*c);
}

static void read_label(const struct sysroots *roots, const char *type, struct hwmon_event *event)
{
	char path[PATH_MAX], label[sizeof(event->label)];

	snprintf(path, sizeof(path), CLASS "/%s/%s_label", event->directory, event->name);
	if (sysfs__read(roots->sysfs, path, label, sizeof(label)) <= 0)
		return;
	label[strcspn(label, "\n")] = '\0';
	strcpy(event->label, label);
	make_name(event->label_name, sizeof(event->label_name), type, label);
}

static void set_type(struct hwmon_event *event, const struct sensor_type *type, long number)
{
	snprintf(event->name, sizeof(event->name), "%s%ld", type->name, number);
	event->unit = type->unit;
	event->scale = type->scale;
	event->what = type->what;
}

/*
 * Sets `pmu` and `directory` of @event, both of which are names of the chip's PMU. Clears the other
 * members. Returns false if @directory does not describe a chip.
 */
static bool read_chip(const struct sysroots *roots, const char *directory,
		      struct hwmon_event *event)
{
	char path[PATH_MAX], name[128];

	*event = (struct hwmon_event){ 0 };
	if (strlen(directory) >= sizeof(event->directory))
		return false;
	snprintf(path, sizeof(path), CLASS "/%s/name", directory);
	if (sysfs__read(roots->sysfs, path, name, sizeof(name)) < 0)
		return false;
	name[strcspn(name, "\n")] = '\0';
	strcpy(event->directory, directory);
	make_name(event->pmu, sizeof(event->pmu), "hwmon", name);
	return true;
}

/* ---- all events of a chip ---- */

struct sensor {
	const struct sensor_type *type;
	long number;
};

static int compare(const void *a, const void *b)
{
	const struct sensor *left = a, *right = b;

	if (left->type != right->type)
		return left->type < right->type ? -1 : 1;
	return (left->number > right->number) - (left->number < right->number);
}

static int each_of_chip(const struct sysroots *roots, const char *directory, hwmon_fn each,
			void *arg)
{
	struct hwmon_event event;
	struct sensor *sensors;
	char path[PATH_MAX];
	struct dir_names files;
	int nr = 0, err;

	if (!read_chip(roots, directory, &event))
		return 0;
	snprintf(path, sizeof(path), CLASS "/%s", directory);
	err = dir_names__read(&files, roots->sysfs, path);
	if (err)
		return err == -ENOMEM ? err : 0;
	sensors = calloc((size_t)files.nr + 1, sizeof(*sensors));
	for (int i = 0; sensors && i < files.nr; i++) {
		const char *rest;

		sensors[nr].type = split(files.names[i], &sensors[nr].number, &rest);
		if (sensors[nr].type && sensors[nr].number >= 0 && !strcmp(rest, "_input"))
			nr++;
	}
	dir_names__free(&files);
	if (!sensors)
		return -ENOMEM;
	qsort(sensors, (size_t)nr, sizeof(*sensors), compare);
	for (int i = 0; !err && i < nr; i++) {
		event.label[0] = event.label_name[0] = '\0';
		set_type(&event, sensors[i].type, sensors[i].number);
		read_label(roots, sensors[i].type->name, &event);
		err = each(&event, arg);
	}
	free(sensors);
	return err;
}

int hwmon__for_each(const struct sysroots *roots, hwmon_fn each, void *arg)
{
	struct dir_names chips;
	int err = dir_names__read(&chips, roots->sysfs, CLASS);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (int i = 0; !err && i < chips.nr; i++)
		err = each_of_chip(roots, chips.names[i], each, arg);
	dir_names__free(&chips);
	return err;
}

/* ---- one chip, one event ---- */

/*
 * Finds the first chip whose PMU has the name @pmu, and sets @event as read_chip() does. Returns 0,
 * -ENOENT or -ENOMEM.
 */
static int find_chip(const struct sysroots *roots, const char *pmu, struct hwmon_event *event)
{
	struct dir_names chips;
	int err;

	if (strncmp(pmu, "hwmon", 5))
		return -ENOENT;
	err = dir_names__read(&chips, roots->sysfs, CLASS);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	err = -ENOENT;
	for (int i = 0; err && i < chips.nr; i++)
		if (read_chip(roots, chips.names[i], event) &&
		    (!strcmp(event->pmu, pmu) || !strcmp(event->directory, pmu)))
			err = 0;
	dir_names__free(&chips);
	return err;
}

bool hwmon__has_pmu(const struct sysroots *roots, const char *pmu)
{
	struct hwmon_event event;

	return !find_chip(roots, pmu, &event);
}

struct search {
	const char *name;
	struct hwmon_event *event;
};

static int take_label(const struct hwmon_event *event, void *arg)
{
	struct search *search = arg;

	if (strcasecmp(event->label_name, search->name))
		return 0;
	*search->event = *event;
	return 1;
}

int hwmon__find(const struct sysroots *roots, const char *pmu, const char *name,
		struct hwmon_event *event)
{
	struct search search = { name, event };
	const struct sensor_type *type;
	const char *rest;
	long number;
	int err = find_chip(roots, pmu, event);

	if (err)
		return err;
	type = split(name, &number, &rest);
	if (!type)
		return -ENOENT;
	if (number >= 0) {
		set_type(event, type, number);
		return 0;
	}
	err = each_of_chip(roots, event->directory, take_label, &search);
	return err < 0 ? err : err ? 0 : -ENOENT;
}
