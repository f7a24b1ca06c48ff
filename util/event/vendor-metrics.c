// SPDX-License-Identifier: GPL-2.0-only
/* Reads the metrics of the machine's first CPU model, and the descriptions of groups of metrics. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "util/event/vendor-priv.h"

int vendor__for_each_metric(struct vendor *vendor, vendor_object_fn each, void *arg)
{
	struct vendor_reading reading = {
		.vendor = vendor, .nr_models = 1, .each = each, .arg = arg
	};
	int err = 0;

	vendor__prepare(vendor);
	if (vendor->pack) {
		err = vendor__read_pack(vendor, VENDOR_PACK_METRIC, NULL, &reading);
	} else if (vendor->is_folder && vendor->path && vendor->ids) {
		err = vendor_folder__for_each(vendor->path, vendor->ids, vendor->nr_ids ? 1 : 0,
					      each, arg, &vendor->notes);
		vendor__note_error(vendor, err);
	}
	return err == -ENOMEM ? err : 0;
}

struct groups {
	int (*each)(const char *group, const char *text, void *arg);
	void *arg;
	struct vendor *vendor;
};

static int give_group(const struct vendor_record *record, void *arg)
{
	const struct groups *groups = arg;
	json_t *json = json_loadb(record->json, record->json_len, JSON_DECODE_ANY, NULL);
	char name[VENDOR_NAME_ROOM];
	int err = 0;

	if (json_is_string(json) && record->key_len < sizeof(name) && groups->vendor->nr_models &&
	    vendor_record__has_model(record, groups->vendor->models[0].number)) {
		memcpy(name, record->key, record->key_len);
		name[record->key_len] = '\0';
		err = groups->each(name, json_string_value(json), groups->arg);
	}
	json_decref(json);
	return err;
}

int vendor__for_each_group(struct vendor *vendor,
			   int (*each)(const char *group, const char *text, void *arg), void *arg)
{
	struct groups groups = { each, arg, vendor };
	struct strbuf why = STRBUF_INIT;
	int err;

	vendor__prepare(vendor);
	if (!vendor->pack)
		return 0;
	err = vendor_pack__for_each(vendor->pack, VENDOR_PACK_GROUP, NULL, give_group, &groups,
				    &why);
	if (why.len)
		strbuf__addf(&vendor->notes, "%s: %s", vendor->path, why.text);
	else
		vendor__note_error(vendor, err);
	strbuf__free(&why);
	return err == -ENOMEM ? err : 0;
}
