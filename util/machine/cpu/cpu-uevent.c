// SPDX-License-Identifier: GPL-2.0-only
#include "util/machine/cpu/cpu-uevent.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The multicast group of messages from the kernel. Messages from udev are sent to group 2. */
#define KERNEL_GROUP 1
#define MESSAGE_SIZE 2048
#define CPU_ID_DIGITS 5

static const char cpu_path[] = "/devices/system/cpu/cpu";

/* If *@pos begins with @word, moves *@pos past the word and returns true. */
static bool skip_word(const char **pos, const char *end, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(end - *pos) < len || memcmp(*pos, word, len))
		return false;
	*pos += len;
	return true;
}

bool cpu_uevent__parse(const char *message, size_t len, struct cpu_uevent *event)
{
	const char *p = message, *end = memchr(message, '\0', len), *digits;
	int cpu = 0;

	if (!end)
		return false;
	event->online = skip_word(&p, end, "online@");
	if (!event->online && !skip_word(&p, end, "offline@"))
		return false;
	if (!skip_word(&p, end, cpu_path))
		return false;
	for (digits = p; p < end && *p >= '0' && *p <= '9'; p++) {
		if (p - digits == CPU_ID_DIGITS)
			return false;
		cpu = cpu * 10 + (*p - '0');
	}
	event->cpu = cpu;
	return p == end && p > digits;
}

/*
 * Makes the socket accept only messages that begin with "onli" or "offl". The kernel sends such
 * messages rarely, and most of them are about CPUs or memory blocks.
 */
static int filter_messages(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f6e6c69, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f66666c, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, MESSAGE_SIZE),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) ? -errno : 0;
}

int cpu_uevent__open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	int err = fd < 0 ? -errno : filter_messages(fd);

	if (!err && bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

int cpu_uevent__receive(int fd, struct cpu_uevent *event)
{
	char message[MESSAGE_SIZE];

	for (;;) {
		struct sockaddr_nl from = { 0 };
		socklen_t size = sizeof(from);
		ssize_t len =
			recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&from, &size);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == EAGAIN ? 0 : -errno;
		/* only messages from the kernel have the port id 0 */
		if (size == sizeof(from) && !from.nl_pid &&
		    cpu_uevent__parse(message, (size_t)len, event))
			return 1;
	}
}
