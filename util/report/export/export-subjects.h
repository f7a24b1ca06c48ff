/* SPDX-License-Identifier: GPL-2.0-only */
/* The subjects of the counts as sets of labels, which are made when a subject is first seen. */
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
	bool is_live;		 /* exists, and no other subject has the same labels */
	bool is_there, was_live; /* while the list is updated */
	bool is_new;	/* another subject had this place at the previous reading, or none */
	bool continues; /* is_new, and the counts of the place continue: a program was reloaded */
};

struct export_subjects {
	int nr;
	struct export_subject *list; /* in the order of the columns of the counts */
};

/* Follows the changes of @subjects since the last call. Returns 0 or -ENOMEM. */
int export_subjects__update(struct export_subjects *es, const struct subjects *subjects,
			    const struct export_config *config);
void export_subjects__free(struct export_subjects *es);

/* Returns the prefix of the names of families: "pstat_cgroup_" for cgroups. NULL: no subjects. */
const char *export_subjects__prefix(const struct subjects *subjects);
/* Returns the labels of the sum of the subjects that --top omits. */
const char *export_subjects__other(const struct subjects *subjects);

#endif
