# SPDX-License-Identifier: GPL-2.0-only
"""Measures the cost of a scrape of `pstat export` as cgroups are added, with 6 events, in the
guest."""

import re

from guest import guest_each
from ladders import MACHINE
from table import Table, count, mark, ratio, words

PART = "export"
TITLE = ("instructions of a scrape, of both threads of pstat export and in the kernel, and its size"
         " (x86-64 guest, Linux 6.12)")
EVENTS = "task-clock,cs,page-faults,minor-faults,major-faults,cpu-migrations"
SIZES = (500, 1000, 2000)
# the limits for 2000 cgroups; file descriptors are per event and CPU
MOST_INSTRUCTIONS, MOST_MB, MOST_MIB = 100e6, 2, 20
COLUMNS = [("series", "series", count), ("ns", "instructions", count),
           ("a_line", "per series", ratio), ("mb", "MB", ratio), ("mib", "peak MiB", ratio),
           ("fds", "fds", count)]

# Each cgroup runs a task, because a cgroup without counts has no series. The first scrape is not
# measured. The next ones are more than 100 ms apart, so each is a reading.
SCRIPT = """n={size}
mkdir /sys/fs/cgroup/export; cd /sys/fs/cgroup/export
mkdir $(seq $n | sed s/^/kubepods-burstable-pod/)
pstat export -a --bpf-counters --for-each-cgroup ^export/ -e {events} 2>/run/err &
until grep -q 'metrics are at' /run/err; do
	sleep 0.1
	kill -0 $! || {{ cat /run/err; exit 1; }}
done
for group in kubepods*; do
	echo $$ >$group/cgroup.procs
	(:)
done
echo $$ >../cgroup.procs
used() {{ cat /proc/$!/task/*/schedstat | {{ sum=0; while read ns rest; do sum=$((sum + ns)); done
	echo $sum; }}; }}
scrape() {{ wget -q -O /run/page http://127.0.0.1:9736/metrics; sleep 1; }}
scrape
before=$(used)
for i in 1 2 3 4 5; do scrape; done
echo ns $((($(used) - before) / 5)) bytes $(wc -c </run/page) series $(grep -vc '^#' /run/page)
echo kib $(sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p' /proc/$!/status)
echo fds $(ls /proc/$!/fd | wc -l)
kill $!; wait $!
rmdir kubepods*; cd /; rmdir /sys/fs/cgroup/export
"""


def _figures(done):
    found = dict(re.findall(r"(\w+) (\d+)", done.stdout)) if "ns " in done.stdout else {}
    if done.returncode or not found:
        return {"why": words(done.stdout) or f"exit status {done.returncode}"}
    ns, series = int(found["ns"]), int(found["series"])
    return {
        "series": series, "ns": ns, "a_line": ns / series, "mb": int(found["bytes"]) / 1e6,
        "mib": int(found["kib"]) / 1024, "fds": int(found["fds"])
    }


def measure(context):
    sizes = [size for size in SIZES if context.wants(PART, f"{size} cgroups, 6 events")]
    if not sizes:
        return None
    context.say(f"{PART}: a scrape of {', '.join(map(str, sizes))} cgroups")
    done = guest_each({size: SCRIPT.format(size=size, events=EVENTS) for size in sizes}, **MACHINE)
    rows = [{"name": f"{size} cgroups, 6 events", **_figures(done[size])} for size in sizes]
    for size, row in zip(sizes, rows):
        if size != SIZES[-1]:
            continue
        row["marks"] = [
            mark(6 * size, -row["series"] if "series" in row else None, "every cgroup has series"),
            mark(MOST_INSTRUCTIONS, row.get("ns"), f"<= {MOST_INSTRUCTIONS / 1e6:.0f} M"),
            mark(MOST_MB, row.get("mb"), f"<= {MOST_MB} MB"),
            mark(MOST_MIB, row.get("mib"), f"<= {MOST_MIB} MiB"),
            mark(rows[0].get("fds", 0), row.get("fds"), "no fd per cgroup"),
        ]
    return Table(PART, TITLE, COLUMNS, rows, [])
