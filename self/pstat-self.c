// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of the library. These are the tasks of the other files in self/:
 *
 *	open: config ─ self-event ─► evsel ─ self-unit ─► a leader, which the process follows
 *			(file-room: raises the limit on open files while the event is opened)
 *	read: self-thread (slot) ─► self-unit, bperf_self__look() ─► the thread's count
 *	errors: self-words ─► the thread's text, which pstat_self_error() returns
 *
 * Opening and closing take `lock`, so only one thread at a time opens or closes. Reading does not
 * take `lock`.
 */
#include "include/pstat-self.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_skel/bperf_self.h"
#include "self/self.h"
#include "util/base/log.h"
#include "util/count/bperf/attr-map.h"
#include "util/count/counts.h"
#include "util/event/evlist.h"

#define API __attribute__((visibility("default")))

_Static_assert(PSTAT_SELF_THREADS == BPERF_SELF_THREADS, "what the header says");

struct pstat_self {
	struct self_unit *unit;
	int row;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int init_err;

/* ---- fork ---- */

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	pthread_mutex_unlock(&lock);
}

/*
 * Closes the child's copies of the library's fds, which would otherwise keep the counters open.
 * Also releases the slots of all threads.
 */
static void in_child(void)
{
	self_unit__drop_all();
	self_thread__forget_all();
	pthread_mutex_unlock(&lock);
}

static void init(void)
{
	init_err = self_thread__init();
	if (!init_err)
		init_err = -pthread_atfork(before_fork, in_parent, in_child);
}

/* ---- functions of the library ---- */

/*
 * Copies the members of the config that both the caller's header and this library define. Returns
 * 0, or -errno after logging the reason: -EINVAL if @from is NULL or its size is too small, -E2BIG
 * if the caller has set a member that this library does not define.
 */
static int take_config(struct pstat_self_config *to, const struct pstat_self_config *from)
{
	const char *bytes = (const char *)from;

	memset(to, 0, sizeof(*to));
	if (!from || from->size < offsetof(struct pstat_self_config, map) + sizeof(from->map)) {
		pr_err("config.size is %zu, but must be sizeof(struct pstat_self_config)",
		       from ? from->size : 0);
		return -EINVAL;
	}
	for (size_t i = sizeof(*to); i < from->size; i++) {
		if (bytes[i]) {
			pr_err("config sets members that version %d of this library does not know: "
			       "use a newer library, or leave these members 0",
			       PSTAT_SELF_VERSION);
			return -E2BIG;
		}
	}
	memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
	return 0;
}

/*
 * If init() failed, logs the reason. Returns init_err. init() runs only once, in the first
 * pstat_self_open() of the process.
 */
static int check_init(void)
{
	if (init_err == -EAGAIN)
		pr_err("all %d keys for thread-specific data are taken, and pstat needs a key to "
		       "notice when threads end\nopen a counter before other code takes all keys "
		       "(pthread_key_create)",
		       PTHREAD_KEYS_MAX);
	else if (init_err)
		pr_err("cannot prepare for threads and forks: %s", strerror(-init_err));
	return init_err;
}

static int open_config(const struct pstat_self_config *given, struct pstat_self *self)
{
	struct pstat_self_config config;
	struct evlist *evlist = NULL;
	int err = check_init();

	err = err ?: take_config(&config, given);
	err = err ?: self_event__parse(&config, &evlist);
	if (err)
		return err;
	err = self_unit__get(evlist->entries[0], config.map ?: ATTR_MAP_PATH, &self->unit,
			     &self->row);
	evlist__free(evlist);
	return err;
}

API int pstat_self_open(const struct pstat_self_config *config, struct pstat_self **self)
{
	int err;

	*self = NULL;
	pthread_once(&once, init);
	pthread_mutex_lock(&lock);
	self_words__begin();
	*self = calloc(1, sizeof(**self));
	err = *self ? open_config(config, *self) : log__out_of_memory();
	self_words__end();
	pthread_mutex_unlock(&lock);
	if (err) {
		free(*self);
		*self = NULL;
	}
	return err;
}

API int pstat_self_read(struct pstat_self *self, struct pstat_self_count *count)
{
	int slot = self_thread__slot(), err = slot < 0 ? slot : 0;
	struct reading reading;

	err = err ?: self_unit__look(self->unit, slot, self->row, &reading);
	if (err) {
		self_words__set_read(err);
		return err;
	}
	count->value = reading.value;
	count->enabled = reading.enabled;
	count->running = reading.running;
	return 0;
}

API void pstat_self_close(struct pstat_self *self)
{
	if (!self)
		return;
	pthread_mutex_lock(&lock);
	self_unit__put(self->unit);
	pthread_mutex_unlock(&lock);
	free(self);
}

API const char *pstat_self_error(void)
{
	return self_words__get();
}

API int pstat_self_version(void)
{
	return PSTAT_SELF_VERSION;
}
