// SPDX-License-Identifier: GPL-2.0-only
#include "util/event/vendor-json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/strbuf.h"
#include "util/event/vendor.h"

struct source {
	const json_t *object, *standard;
};

/*
 * Returns the value of @key in @object as text, or NULL if @key is missing or its value is neither
 * a string nor an integer. An integer is printed to @buf, which must have room for 24 bytes.
 */
static const char *own_value(const json_t *object, const char *key, char *buf)
{
	const json_t *json = json_object_get(object, key);

	if (json_is_integer(json)) {
		snprintf(buf, 24, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
		return buf;
	}
	return json_string_value(json);
}

static const char *value(const struct source *source, const char *key, char *buf)
{
	return own_value(source->object, key, buf) ?: own_value(source->standard, key, buf);
}

/*
 * Parses the first number of a list whose separators are commas or spaces. Numbers are decimal,
 * octal (0…) or hexadecimal (0x…). Returns 0 or -EINVAL.
 */
static int parse_number(const char *text, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, 0);
	return errno || (*end && *end != ',' && *end != ' ') ? -EINVAL : 0;
}

/*
 * Reads the first number in the value of @key (parse_number()). Returns 0; -ENOENT if the key is
 * missing or its value is empty; or -EINVAL if the value does not begin with a number.
 */
static int number_of(const struct source *source, const char *key, uint64_t *number)
{
	char buf[24];
	const char *text = value(source, key, buf);

	return text && *text ? parse_number(text, number) : -ENOENT;
}

/*
 * Keys of an object, and the PMU's terms that they set, in the order in which perf adds the terms.
 * A key with the value 0 is treated as missing. Keys for sampling periods are not in the table.
 */
static const struct {
	const char *key, *term;
} fields[] = {
	{ "AnyThread", "any" },
	{ "PortMask", "ch_mask" },
	{ "CounterMask", "cmask" },
	{ "EdgeDetect", "edge" },
	{ "FCMask", "fc_mask" },
	{ "Invert", "inv" },
	{ "UMask", "umask" },
	{ "NodeType", "type" },
	{ "RdWrMask", "rdwrmask" },
	{ "EnAllCores", "enallcores" },
	{ "EnAllSlices", "enallslices" },
	{ "SliceId", "sliceid" },
	{ "ThreadMask", "threadmask" },
};

/* Model-specific registers (values of "MSRIndex"), and the core PMU's terms that set them. */
static const struct {
	uint64_t msr;
	const char *term;
} msrs[] = {
	{ 0x3f6, "ldlat" },
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f7, "frontend" },
};

/*
 * Events of Intel's fixed counters, with the codes that the kernel uses for them. Intel's files
 * contain other codes.
 */
static const struct {
	const char *name, *terms;
} fixed[] = {
	{ "inst_retired.any", "event=0xc0" },
	{ "inst_retired.any_p", "event=0xc0" },
	{ "cpu_clk_unhalted.ref", "event=0x0,umask=0x3" },
	{ "cpu_clk_unhalted.thread", "event=0x3c" },
	{ "cpu_clk_unhalted.core", "event=0x3c" },
	{ "cpu_clk_unhalted.thread_any", "event=0x3c,any=1" },
};

static int add_code(const struct source *source, struct strbuf *sb)
{
	uint64_t code = 0, more = 0;
	int err = number_of(source, "ConfigCode", &code);

	if (!err)
		strbuf__addf(sb, "config=0x%" PRIx64, code);
	if (err != -ENOENT)
		return err;
	err = number_of(source, "EventidCode", &code);
	if (!err)
		strbuf__addf(sb, "eventid=0x%" PRIx64, code);
	if (err != -ENOENT)
		return err;
	err = number_of(source, "EventCode", &code);
	if (err && err != -ENOENT)
		return err;
	err = number_of(source, "ExtSel", &more);
	strbuf__addf(sb, "event=0x%" PRIx64, code | more << 8);
	return err == -ENOENT ? 0 : err;
}

static int add_msr(const struct source *source, struct strbuf *sb)
{
	uint64_t msr, number;
	int err = number_of(source, "MSRIndex", &msr);

	if (err)
		return err == -ENOENT ? 0 : err;
	for (size_t i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++) {
		if (msrs[i].msr != msr)
			continue;
		err = number_of(source, "MSRValue", &number);
		if (!err)
			strbuf__addf(sb, ",%s=0x%" PRIx64, msrs[i].term, number);
		return err == -ENOENT ? 0 : err;
	}
	return 0;
}

static int add_terms(const struct source *source, struct strbuf *sb)
{
	const char *filter;
	char buf[24];
	int err = add_code(source, sb);

	for (size_t i = 0; !err && i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t number;

		err = number_of(source, fields[i].key, &number);
		if (!err && number)
			strbuf__addf(sb, ",%s=0x%" PRIx64, fields[i].term, number);
		if (err == -ENOENT)
			err = 0;
	}
	if (err)
		return err;
	filter = value(source, "Filter", buf);
	if (filter && *filter)
		strbuf__addf(sb, ",%s", filter);
	return add_msr(source, sb);
}

/*
 * The names of the PMUs for some values of "Unit". For any other value, the name of the PMU is
 * "uncore_" followed by the value in lower case.
 */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{ "CBO", "uncore_cbox" },
	{ "QPI LL", "uncore_qpi" },
	{ "SBO", "uncore_sbox" },
	{ "iMPH-U", "uncore_arb" },
	{ "CPU-M-CF", "cpum_cf" },
	{ "CPU-M-SF", "cpum_sf" },
	{ "PAI-CRYPTO", "pai_crypto" },
	{ "PAI-EXT", "pai_ext" },
	{ "UPI LL", "uncore_upi" },
	{ "hisi_sicl,cpa", "hisi_sicl,cpa" },
	{ "hisi_sccl,ddrc", "hisi_sccl,ddrc" },
	{ "hisi_sccl,hha", "hisi_sccl,hha" },
	{ "hisi_sccl,l3c", "hisi_sccl,l3c" },
	{ "imx8_ddr", "imx8_ddr" },
	{ "imx9_ddr", "imx9_ddr" },
	{ "L3PMC", "amd_l3" },
	{ "DFPMC", "amd_df" },
	{ "UMCPMC", "amd_umc" },
	{ "cpu_core", "cpu_core" },
	{ "cpu_atom", "cpu_atom" },
	{ "ali_drw", "ali_drw" },
	{ "arm_cmn", "arm_cmn" },
};

static char *pmu_of(const char *unit)
{
	char *name = NULL;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].unit, unit))
			return strdup(units[i].pmu);
	if (asprintf(&name, "uncore_%s", unit) < 0)
		return NULL;
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return name;
}

/*
 * Sets the scale and the unit from @text, such as "6.1e-5MiB". The number is optional. Returns 0 or
 * -ENOMEM.
 */
static int set_unit(struct vendor_event *event, const char *text)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	char *end = (char *)text;
	double scale = 0;

	if (!c)
		return -ENOMEM;
	if (isdigit((unsigned char)*text) || *text == '.')
		scale = strtod_l(text, &end, c);
	freelocale(c);
	event->scale = isfinite(scale) && scale > 0 ? scale : 0;
	event->unit = strdup(end);
	return event->unit ? 0 : -ENOMEM;
}

/* Returns @len, minus the length of @suffix if the first @len bytes of @text end with @suffix. */
static size_t without(const char *text, size_t len, const char *suffix)
{
	size_t cut = strlen(suffix);

	return len >= cut && !memcmp(text + len - cut, suffix, cut) ? len - cut : len;
}

/*
 * Returns the text of @key without the full stop at its end; "" if the key is missing; or NULL if
 * memory ran out. As perf does, appends notes about errata, about precise sampling, and about
 * addresses in samples.
 */
static char *own_description(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	const char *brief = json_string_value(json_object_get(object, "BriefDescription"));
	const char *errata = json_string_value(json_object_get(object, "Errata"));
	const char *precise = json_string_value(json_object_get(object, "PEBS"));
	struct strbuf sb = STRBUF_INIT;
	size_t len = text ? strlen(text) : 0;

	len = without(text, without(text, without(text, len, ".  "), ". "), ".");
	if (!len)
		return strdup("");
	strbuf__add(&sb, text, len);
	if (json_object_get(object, "Data_LA"))
		strbuf__addf(&sb, "  Supports address when precise%s", errata ? "." : "");
	if (errata)
		strbuf__addf(&sb, "  Spec update: %s", errata);
	if (precise && *precise && brief && *brief && !strstr(brief, "(Precise Event)"))
		strbuf__adds(&sb,
			     !strcmp(precise, "2") ? " (Must be precise)" : " (Precise event)");
	return strbuf__detach(&sb);
}

static char *description(const struct source *source, const char *key)
{
	char *text = own_description(source->object, key);

	if (!text || *text)
		return text;
	free(text);
	return own_description(source->standard, key);
}

bool vendor_json__lower(const char *text, char *buf, size_t size)
{
	size_t i = 0;

	for (; text[i] && i + 1 < size; i++)
		buf[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
	buf[i] = '\0';
	return !text[i];
}

static char *lower(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = malloc(size);

	if (copy)
		vendor_json__lower(text, copy, size);
	return copy;
}

static int set_terms(const struct source *source, struct vendor_event *event)
{
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!strcmp(fixed[i].name, event->name))
			strbuf__adds(&sb, fixed[i].terms);
	/*
	 * an event that refers to a standard event of the architecture has the same terms as the
	 * standard event, on all CPU models
	 */
	if (!sb.len)
		err = add_terms(source->standard ? &(struct source){ source->standard, NULL } :
						   source,
				&sb);
	event->terms = strbuf__detach(&sb);
	return err ?: event->terms ? 0 : -ENOMEM;
}

int vendor_json__event(const json_t *object, const json_t *standard, const char *topic,
		       struct vendor_event *event)
{
	struct source source = { object, standard };
	const char *name, *unit, *compat, *flag;
	char buf[24];
	int err;

	if (!json_is_object(object))
		return -EINVAL;
	name = value(&source, "EventName", buf);
	if (!name || !*name)
		return -ENOENT;
	event->name = lower(name);
	event->brief = description(&source, "BriefDescription");
	event->more = description(&source, "PublicDescription");
	event->topic = strdup(topic ?: json_string_value(json_object_get(object, "Topic")) ?: "");
	if (!event->name || !event->brief || !event->more || !event->topic)
		return -ENOMEM;
	compat = value(&source, "Compat", buf);
	if (compat && *compat) {
		event->compat = strdup(compat);
		if (!event->compat)
			return -ENOMEM;
	}
	unit = own_value(object, "Unit", buf);
	if (unit && *unit) {
		event->pmu = pmu_of(unit);
		if (!event->pmu)
			return -ENOMEM;
	}
	flag = value(&source, "PerPkg", buf);
	event->per_pkg = flag && !strcmp(flag, "1");
	flag = value(&source, "Deprecated", buf);
	event->deprecated = flag && !strcmp(flag, "1");
	event->cpu = -1;
	err = set_unit(event, value(&source, "ScaleUnit", buf) ?: "");
	return err ?: set_terms(&source, event);
}

void vendor_json__free(struct vendor_event *event)
{
	free(event->name);
	free(event->pmu);
	free(event->compat);
	free(event->terms);
	free(event->unit);
	free(event->brief);
	free(event->more);
	free(event->topic);
}
