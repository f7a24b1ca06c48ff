/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Prometheus labels of the subjects. A subject is a cgroup, thread, BPF program or scope
 * (--scope: code between two points) that has counts of its own.
 */
#ifndef PSTAT_REPORT_EXPORT_EXPORT_SUBJECTS_H
#define PSTAT_REPORT_EXPORT_EXPORT_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct export_config;
struct export_subjects;
struct subjects;

struct export_subject {
	uint64_t id;
	size_t hash; /* of the labels */
	char *name;
	char *labels;
	bool is_live;		 /* exists, and no other live subject has the same labels */
	bool is_there, was_live; /* in export_subjects__update(): exists; was live before */
	/* this entry had another subject, or none, at the previous reading */
	bool is_new;
	/* valid if `is_new` is set: the counts continue, because a BPF program was reloaded */
	bool continues;
};

struct export_subjects {
	int nr;
	struct export_subject *list; /* indexed like subjects.list */
};

/* Updates the list to match @subjects. Returns 0 or -ENOMEM. */
int export_subjects__update(struct export_subjects *es, const struct subjects *subjects,
			    const struct export_config *config);
void export_subjects__free(struct export_subjects *es);

/* Returns the prefix of metric names, for example "pstat_cgroup_". @subjects may be NULL. */
const char *export_subjects__prefix(const struct subjects *subjects);
/* Returns the labels of the remainder: the counts of the subjects that --top does not choose. */
const char *export_subjects__other(const struct subjects *subjects);

#endif
