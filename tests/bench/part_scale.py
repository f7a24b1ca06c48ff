# SPDX-License-Identifier: GPL-2.0-only
"""The cost of an interval as tables grow: CPUs, events, cgroups and BPF programs, in the guest.
many-cpus.c imitates the CPUs."""

import pathlib
import re
import tempfile
from dataclasses import dataclass

import programs
from guest import guest_each
from ladders import MACHINE, WARM_UP
from table import Table, count, mark, ratio, words

PART = "scale"
TITLE = (
    "instructions to read and print an interval, and to start and end without any; each size twice"
    " the one before (x86-64 guest, Linux 6.12)"
)
SHIM = programs.BUILD / ".build/tests/bench/many-cpus.so"
CPUS = (128, 256, 512)
SOCKET = 64  # CPUs, with two threads per core
# The factor by which the cost of an additional item may grow: 1 means linear growth, and 2 means
# quadratic growth. Values between 1 and 2 occur, because buffers that are too large for malloc to
# keep are mapped anew each time.
LINEAR = 1.3

FOUR = "msr/tsc/,cs,task-clock,page-faults"
EIGHT = (
    "cs,task-clock,page-faults,cpu-clock,cpu-migrations,major-faults,minor-faults,alignment-faults"
)


@dataclass(frozen=True)
class Case:
    name: str
    sizes: tuple
    # Words for the guest's shell: $n is the size, $events has this number of events, and $groups
    # has the cgroups.
    options: str
    rows: str  # rows of an interval as CSV: an expression of the guest's shell
    before: str = ""
    cpus: str = ""  # a word of the shell; empty for the CPUs of the guest
    # The number of additional intervals in the second run. It is large if an interval costs little
    # compared with the whole.
    steps: int = 2


GROUPS = "(cd /sys/fs/cgroup && mkdir $(many scale '' ' '))\ngroups=$(many scale '' ,)"
PROGRAMS = (
    "mkfifo in\nbpf-many <in >ids &\nexec 5>in\necho load scale $n >&5\nuntil [ -s ids ]; do sleep"
    " 1; done"
)

CASES = [
    Case("CPUs, 8 events", CPUS, f"-a -e {EIGHT}", "8", cpus="$n"),
    Case("CPUs, 8 events, -A", CPUS, f"-a -A -e {EIGHT}", "8*n", cpus="$n"),
    Case("CPUs, 8 events, --per-core", CPUS, f"-a --per-core -e {EIGHT}", "4*n", cpus="$n"),
    Case("events, 512 CPUs", (50, 100, 200), "-a -e $events", "n", cpus="512"),
    Case("events, 512 CPUs, -A", (25, 50, 100), "-a -A -e $events", "512*n", cpus="512", steps=6),
    Case("groups, 4 events, --bpf-counters", (1250, 2500, 5000),
         f"-a --bpf-counters --for-each-cgroup $groups -e {FOUR}", "4*n", GROUPS),
    Case("groups, 4 events, native", (1250, 2500, 5000), f"-a --for-each-cgroup $groups -e {FOUR}",
         "4*n", GROUPS),
    Case("programs, 4 events, --per-prog", (50, 100, 200), f"-b name:scale* --per-prog -e {FOUR}",
         "4*n", PROGRAMS, steps=240),
]


def write_cpus(directory):
    """Makes directory/cpus/N for N CPUs, with the layout of /sys/devices/system/cpu."""
    for number in CPUS:
        top = pathlib.Path(directory) / "cpus" / str(number)
        for cpu in range(number):
            topology = top / f"cpu{cpu}" / "topology"
            topology.mkdir(parents=True)
            for name, value in (("physical_package_id", cpu // SOCKET), ("die_id", 0),
                                ("cluster_id", 0), ("core_id", cpu // 2 % SOCKET)):
                (topology / name).write_text(f"{value}\n", encoding="ascii")
        for name in ("online", "possible", "present"):
            (top / name).write_text(f"0-{number - 1}\n", encoding="ascii")
    return pathlib.Path(directory) / "cpus"


def _script(case, size):
    """Prints the rows of an interval, the expected number, and run-cost's results for a run of
    two intervals and for a longer one."""
    cpus = (
        f"mount --bind /root/cpus/{case.cpus} /sys/devices/system/cpu || exit\nexport"
        f" LD_PRELOAD=/lib/{SHIM.name}\n"
        if case.cpus
        else ""
    )
    return f"""n={size}
cd $(mktemp -d)
ulimit -n 1048576
many() {{ seq $n | sed "s|.*|$1&$2|" | tr '\\n' "$3" | sed 's/.$//'; }}
clean_up()
{{
	unset LD_PRELOAD
	umount /sys/devices/system/cpu 2>/dev/null
	[ -z "$groups" ] || (cd /sys/fs/cgroup && rmdir $(many scale '' ' '))
	[ ! -e ids ] || kill $!
}}
trap clean_up EXIT
events=$(many software/config=0,name=e / ,)
{case.before}
{cpus}pstat stat {case.options} -I 2000 --interval-count 1 -x, -o rows || exit
echo rows $(grep -c , rows) $(({case.rows}))
for intervals in 2 {2 + case.steps}; do
	sleep 2
	run-cost pstat stat {case.options} -I 2000 --interval-count $intervals || exit
done
"""


def _figures(done, steps):
    rows = re.search(r"^rows (\d+) (\d+)$", done.stdout, re.M)
    costs = [(int(busy), int(kib))
             for busy, kib in re.findall(r"^ns \d+ busy (\d+) kib (\d+)$", done.stdout, re.M)]
    if done.returncode or not rows or len(costs) != 2:
        return {"why": words(done.stdout) or f"exit status {done.returncode}"}
    if rows[1] != rows[2]:
        return {"why": f"{rows[1]} rows where {rows[2]} should be"}
    (two, _), (more, kib) = costs
    interval = (more - two) / steps
    return {
        "lines": int(rows[1]), "interval": interval, "a_line": interval / int(rows[1]),
        "start": two - 2 * interval, "mib": kib / 1024
    }


def _growth(rows, key):
    """Returns the cost of the last item in the upper half of the sizes, divided by that in the
    lower half, or None unless all three sizes were measured."""
    low, middle, high = (row.get(key) for row in rows)
    if None in (low, middle, high) or middle <= low:
        return None
    return (high - middle) / (middle - low) / 2


def _rows(case, sizes):
    rows = [{"name": f"{size} {case.name}", **figures} for size, figures in sizes.items()]
    if len(rows) == 3:
        rows[2].update(growth=_growth(rows, "interval"), start_growth=_growth(rows, "start"))
        rows[2]["marks"] = [mark(LINEAR, rows[2]["growth"], f"an interval's growth <= {LINEAR}"),
                            mark(LINEAR, rows[2]["start_growth"], f"the start's <= {LINEAR}")]
    return rows


COLUMNS = [("lines", "rows", count), ("interval", "an interval", count), ("a_line", "a row", count),
           ("growth", "growth", ratio), ("start", "start and end", count),
           ("start_growth", "growth", ratio), ("mib", "peak MiB", ratio)]
NOTES = [
    "growth: what one more costs in the upper half of the sizes, over what it costs in the "
    "lower half; 1 is linear",
    "CPUs that the guest does not have are made up: all fds of an event are of one perf "
    "event, and read(2) takes no interrupt there",
    "groups and programs are counted on the guest's own CPU: natively each event of each "
    "group is a perf event"
]


def measure(context):
    wanted = [case for case in CASES if context.wants(PART, case.name)]
    if not wanted:
        return None
    context.say(f"{PART}: pstat in the guest")
    with tempfile.TemporaryDirectory(prefix="pstat-bench.") as directory:
        files = [
            programs.bundle(directory, {"pstat": programs.PSTAT}, [SHIM]),
            write_cpus(directory)
        ]
        commands = {"install": programs.INSTALL, "warm up": WARM_UP}
        commands.update({(case, size): _script(case, size) for case in wanted
                         for size in case.sizes})
        results = guest_each(commands, files=files, **MACHINE)
    context.release = results["warm up"].stdout.split()[-1]
    rows = [
        row for case in wanted for row in _rows(
            case, {size: _figures(results[case, size], case.steps) for size in case.sizes})
    ]
    return Table(PART, TITLE, COLUMNS, rows, NOTES)
