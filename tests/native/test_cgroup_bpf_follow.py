# SPDX-License-Identifier: GPL-2.0-only
"""Cgroups that are created and removed while BPF counts them (--cgroup-follow)."""

import contextlib
import os
import pathlib
import subprocess
import time

import pytest

from cgroup_bpf import NEVER, guesses, in_bpf, lines, rows_of, until_known, within, without_words
from native import (
    IN_C,
    PATIENCE,
    PSTAT,
    cgroup_mount,
    csv_rows,
    inside,
    start,
    wait_until_counting,
    workload,
)

pytestmark = in_bpf


class Nursery:
    """Makes cgroups inside a cgroup. Each of them exists for one command."""

    def __init__(self, top):
        self.top, self.alive = cgroup_mount() / top, {}

    def make(self, name, *argv):
        path = self.top / name
        path.mkdir()
        procs = os.open(path / "cgroup.procs", os.O_WRONLY)
        self.alive[name] = subprocess.Popen(
            list(map(str, argv)), preexec_fn=lambda: os.write(procs,
                                                              str(os.getpid()).encode()),
            stdout=subprocess.DEVNULL)
        os.close(procs)

    def remove(self, name):
        self.alive.pop(name).wait()
        (self.top / name).rmdir()


@contextlib.contextmanager
def made(group):
    """Makes a cgroup that exists for a moment."""
    path = cgroup_mount() / group
    path.mkdir()
    try:
        yield
    finally:
        path.rmdir()


@pytest.fixture
def follow(cgroup):
    """Starts a pstat that follows the cgroups inside a cgroup. Returns pstat, and a Nursery for
    the outer cgroup."""
    running = []

    def begin(*args, events):
        top = cgroup("top")
        pstat = start("-v", "-x,", "-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup",
                      f"^{top}", "-e", events, *args)
        wait_until_counting(pstat)
        running.append((pstat, Nursery(top)))
        return running[-1]

    yield begin
    for pstat, nursery in running:
        if pstat.poll() is None:
            pstat.kill()
        pstat.communicate()
        for name in list(nursery.alive):
            nursery.remove(name)


def test_rows_appear_and_disappear_with_the_cgroups(follow, madvise):
    pstat, nursery = follow("-I", 100, "--summary", events=f"{madvise},task-clock")
    time.sleep(0.25)
    nursery.make("one", *workload("faults", "--pause", 40, 500))
    time.sleep(0.3)
    nursery.remove("one")
    time.sleep(0.3)
    pstat.terminate()
    text = pstat.communicate(timeout=PATIENCE)[1]
    top = nursery.top.name
    rows = [row for row in lines(text) if row[3] == madvise]
    seen = [row for row in rows if row[4] == f"{top}/one" and "summary" not in row[0]]
    times = sorted({float(row[0]) for row in rows if "summary" not in row[0]})
    assert times.index(float(seen[0][0])) >= 1 and float(seen[-1][0]) < times[-1]
    assert len(seen) == len({row[0] for row in seen})
    totals = {row[4]: float(row[1]) for row in rows if "summary" in row[0]}
    assert totals.keys() == {top, f"{top}/one"}
    assert sum(float(row[1]) for row in seen if row[1] != NEVER) == totals[f"{top}/one"]
    assert within(0, totals[f"{top}/one"], 500,
                  100 * guesses(text)) and totals[top] >= totals[f"{top}/one"]


@pytest.mark.parametrize("args", [(), ("-I", 100), ("-I", 100, "--summary")])
def test_the_report_at_the_end_includes_removed_cgroups(follow, args):
    """A count in intervals ends with a report only with --summary (see pstat-stat(1))."""
    pstat, nursery = follow(*args, events="task-clock")
    time.sleep(0.15)
    nursery.make("one", *workload("spin", "--ms", 100))
    time.sleep(0.3)
    nursery.remove("one")
    time.sleep(0.25)
    pstat.terminate()
    rows = csv_rows(pstat.communicate(timeout=PATIENCE)[1])
    one = [row for row in rows if f"{nursery.top.name}/one" in row]
    in_report = [row for row in one if row[0] == "summary" or not args]
    assert one and len(in_report) == (args != ("-I", 100)), rows


def test_five_hundred_cgroups_that_exist_for_a_quarter_of_a_second_are_all_seen(follow, madvise):
    pstat, nursery = follow("-I", 100, "--summary", "-o", "out", events=f"{madvise},task-clock")
    born = []
    for number in range(500):
        nursery.make(str(number), *workload("faults", "--pause", 25, 100))
        born.append((time.monotonic(), str(number)))
        while len(born) >= 25:
            when, name = born.pop(0)
            time.sleep(max(0, when + 0.25 - time.monotonic()))
            nursery.remove(name)
    for _, name in born:
        nursery.remove(name)
    pstat.terminate()
    words = pstat.communicate(timeout=PATIENCE)[1]
    rows = lines(pathlib.Path("out").read_text(encoding="utf8").split("\n\n", 1)[1])
    totals = {row[4]: row[1] for row in rows if "summary" in row[0] and row[3] == madvise}
    top = nursery.top.name
    seen = [f"{top}/{number}" for number in range(500)]
    assert not set(seen) - set(totals)
    shown = {row[4] for row in rows if "summary" not in row[0]}
    assert not set(seen) - shown
    assert within(0, float(totals[top]), 50000, 20 * guesses(words))
    assert within(0.01, sum(float(totals[name]) for name in seen if totals[name] != NEVER),
                  float(totals[top]))


def test_slots_of_removed_cgroups_are_reused_and_their_counts_are_kept(follow, madvise):
    events = [madvise] + ["task-clock"] * 255  # At this point, pstat has slots for 64 cgroups.
    pstat, nursery = follow(events=",".join(events))
    for number in range(150):
        nursery.make(str(number), *workload("faults", 10))
        nursery.remove(str(number))
        time.sleep(0.01)
    files, memory = len(os.listdir(f"/proc/{pstat.pid}/fd")), pathlib.Path(
        f"/proc/{pstat.pid}/status"
    ).read_text(encoding="ascii")
    pstat.terminate()
    text = pstat.communicate(timeout=PATIENCE)[1]
    rows = [row for row in csv_rows(text) if len(row) > 3 and row[2] == madvise]
    top = nursery.top.name
    totals = {row[3]: float(row[0]) for row in rows if row[0] != NEVER}
    slack = 20 * guesses(text)
    assert within(0, totals[top], 1500, slack)
    assert "(gone)" in totals and len(rows) == 1 + 55 + 1  # 8 slots are reserved for new cgroups
    assert sum(totals.values()) - totals[top] == pytest.approx(1500, abs=slack)
    assert files < 64 and "VmRSS" in memory


def test_a_cgroup_that_reuses_a_slot_is_known_to_be_not_counted(cgroup):
    """Each new cgroup uses one of 64 slots for a moment, even if no pattern matches it."""
    top, made = cgroup("top"), []
    unknown = "software/config=99/"
    with start("-x,", "-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup",
               f"^{top}/wanted", "-e", f"{unknown},page-faults") as pstat:
        wait_until_counting(pstat)
        for number in range(100):
            (cgroup_mount() / top / f"other{number}").mkdir()
            time.sleep(0.002)
            (cgroup_mount() / top / f"other{number}").rmdir()
        for number in range(70):
            made.append(cgroup(f"top/wanted{number}"))
        subprocess.run(inside(made[-1], *workload("faults", 100)), check=True,
                       stdout=subprocess.DEVNULL)
        pstat.terminate()
        rows = {(row[3], row[2]): row[0] for row in lines(pstat.communicate(timeout=PATIENCE)[1])}
    assert [rows[group, unknown] for group in made] == ["<not supported>"] * 70
    assert int(rows[made[-1], "page-faults"]) >= 100


def test_a_name_can_refer_to_a_cgroup_that_does_not_exist_yet(cgroup, madvise):
    later = f"{cgroup('top')}/later"

    def attempt():
        with start("-v", "-x,", "-a", "--bpf-counters", "--cgroup-follow", "--for-each-cgroup",
                   later, "-e", madvise) as pstat:
            wait_until_counting(pstat)
            with made(later):
                subprocess.run(inside(later, *workload("faults", 5)), check=True)
                pstat.terminate()
                text = pstat.communicate(timeout=PATIENCE)[1]
        return csv_rows(without_words(text)), text

    (row,) = until_known(attempt)
    assert (row[0], row[3]) == ("5", later)


# $1 is the mount point of the cgroups, $2 is pstat, $3 an event, and $4 the workload faults.
IN_A_NAMESPACE = r"""
umount -l $1 && mount -t cgroup2 none $1 || exit 77
mkdir $1/old
$2 -v -x, -a --bpf-counters --cgroup-follow --for-each-cgroup '^old,^new' -e $3 sh -c '
	mkdir $0/new $0/old/deep $0/other
	sleep 0.2
	(echo 0 >$0/new/cgroup.procs; exec $1 77)
	(echo 0 >$0/old/deep/cgroup.procs; exec $1 5)
	(echo 0 >$0/other/cgroup.procs; exec $1 900)
	' $1 $4
rmdir $1/old/deep $1/old $1/new $1/other
"""


def test_new_cgroups_are_known_by_their_names_in_a_namespace(cgroup, madvise):
    top, mount = cgroup("top"), cgroup_mount()

    def attempt():
        done = subprocess.run(
            inside(top, "unshare", "--cgroup",
                   "--mount", "sh", "-c", IN_A_NAMESPACE, "sh", mount, PSTAT, madvise,
                   *workload("faults")), capture_output=True, text=True, env={**os.environ, **IN_C},
            check=False)
        if done.returncode == 77 or "unshare" in done.stderr:
            pytest.skip(f"probe: unshare --cgroup --mount; mount -t cgroup2: {done.stderr.strip()}")
        return rows_of(without_words(done.stderr)), done.stderr

    rows = until_known(attempt)
    assert {group: count
            for (group, _), count in rows.items()} == {"new": 77, "old": 5, "old/deep": 5}, rows
