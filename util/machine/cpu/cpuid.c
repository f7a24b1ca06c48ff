// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cpu/cpuid.h"

#include <ctype.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/sysfs.h"
#include "util/machine/cpu/cpuinfo.h"
#include "util/machine/cpu/cpumap.h"

/*
 * The variant and the revision in MIDR_EL1 (Arm Architecture Reference Manual, D24.2.122), and all
 * other bits, which identify the model.
 */
#define MIDR_VARIANT(midr) ((midr) >> 20 & 0xf)
#define MIDR_REVISION(midr) ((midr)&0xf)
#define MIDR_MODEL(midr) ((midr) & ~0xf0000fULL)

/* The maximum total number of '*', '+' and '?' in a pattern. */
#define REPEATS_MAX 8

static bool read_field(const struct sysroots *roots, const char *key, char *value, size_t size)
{
	return !cpuinfo__field(roots, key, value, size) && *value;
}

static bool read_x86(const struct sysroots *roots, struct cpuid *id)
{
	char vendor[16], family[16], model[16], stepping[16];

	if (!read_field(roots, "vendor_id", vendor, sizeof(vendor)) ||
	    !read_field(roots, "cpu family", family, sizeof(family)) ||
	    !read_field(roots, "model", model, sizeof(model)) ||
	    !read_field(roots, "stepping", stepping, sizeof(stepping)))
		return false;
	snprintf(id->text, sizeof(id->text), "%s-%lu-%lX-%lX", vendor, strtoul(family, NULL, 10),
		 strtoul(model, NULL, 10), strtoul(stepping, NULL, 10));
	id->cpu = -1;
	return true;
}

static int read_arm64(const struct sysroots *roots, struct cpuid *ids, int max)
{
	struct cpumap *online = NULL;
	int nr = 0;

	if (cpumap__online(roots, &online))
		return 0;
	for (int i = 0; i < online->nr && nr < max; i++) {
		char path[96], text[CPUID_LEN];
		bool known = false;

		snprintf(path, sizeof(path),
			 "devices/system/cpu/cpu%d/regs/identification/midr_el1", online->ids[i]);
		if (sysfs__read(roots->sysfs, path, text, sizeof(text)) <= 0)
			continue;
		for (int j = 0; j < nr; j++)
			known |= !strcmp(ids[j].text, text);
		if (known)
			continue;
		strcpy(ids[nr].text, text);
		ids[nr++].cpu = online->ids[i];
	}
	cpumap__free(online);
	return nr;
}

int cpuid__read(const struct sysroots *roots, struct cpuid *ids, int max)
{
	if (max > 0 && read_x86(roots, ids))
		return 1;
	return read_arm64(roots, ids, max);
}

static bool matches_midr(const char *text, const char *pattern)
{
	uint64_t midr = strtoull(text, NULL, 16), wanted = strtoull(pattern, NULL, 16);

	if (MIDR_MODEL(midr) != MIDR_MODEL(wanted))
		return false;
	return MIDR_VARIANT(midr) > MIDR_VARIANT(wanted) ||
	       (MIDR_VARIANT(midr) == MIDR_VARIANT(wanted) &&
		MIDR_REVISION(midr) >= MIDR_REVISION(wanted));
}

static int nr_dashes(const char *text)
{
	int nr = 0;

	while ((text = strchr(text, '-'))) {
		nr++;
		text++;
	}
	return nr;
}

/*
 * Returns whether matching @pattern could need a lot of time or memory. Repetition counts and back
 * references are expensive. So are many '+': each '+' doubles the cost of the group before it, and
 * groups can be nested. No mapfile uses more than a few '+' and '*'.
 */
static bool is_expensive(const char *pattern)
{
	int nr = 0;

	for (const char *c = pattern; *c; c++) {
		nr += *c == '*' || *c == '+' || *c == '?';
		if (*c == '{' || (*c == '\\' && isdigit((unsigned char)c[1])))
			return true;
	}
	return nr > REPEATS_MAX || strlen(pattern) > 256;
}

bool cpuid__matches_whole(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	bool found;

	if (is_expensive(pattern) || regcomp(&regex, pattern, REG_EXTENDED))
		return false;
	found = !regexec(&regex, text, 1, &match, 0) && match.rm_so == 0 &&
		(size_t)match.rm_eo == strlen(text);
	regfree(&regex);
	return found;
}

bool cpuid__matches(const struct cpuid *id, const char *pattern)
{
	char text[CPUID_LEN];

	if (!strncmp(id->text, "0x", 2))
		return matches_midr(id->text, pattern);
	/* if the pattern has three hyphens, the stepping must match too */
	strcpy(text, id->text);
	if (nr_dashes(pattern) != 3 && strrchr(text, '-'))
		*strrchr(text, '-') = '\0';
	return cpuid__matches_whole(pattern, text);
}
