# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b --outliers: exactly the runs that exceed the threshold are streamed, with their counts
and the bytes of their packets. Runs that the rate limit or a full buffer suppresses are counted,
and the sum is complete."""
import json
import pathlib
import re
import struct

import pytest

from guest import guest_each, kernels

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "slow")]

EVERY, LOOPS = 1000, 1000
# in ns, which are instructions in this guest: more than a run without iterations that contains a
# timer tick (more than 12000 on Linux 7.3), less than LOOPS iterations (22000)
ABOVE = 18000
KERNELS = kernels("6.12")

# Calibration uses three more programs and takes longer than everything else, so it is enabled only
# where the tests check the counts.
STEPS = {
    "people": f"""
slow xdp {EVERY} {LOOPS}
LC_ALL=C pstat -b $id --no-calibrate -e run_cnt,task-clock,cs --outliers {ABOVE} -- ./ask "run 3000"
""", "xdp": f"""
slow xdp {EVERY} {LOOPS}
pstat -j -b $id -e run_cnt,cs,task-clock --outliers {ABOVE}ns,task-clock --packet 32 -- ./ask \\
    "run 7000"
""", "tc": f"""
slow tc {EVERY} {LOOPS}
pstat -j -b $id -e run_cnt,cs --outliers {ABOVE},time --packet 96 -- ./ask "run 3000"
""", "socket": f"""
slow socket {EVERY} {LOOPS}
pstat -j -b $id -e run_cnt,cs --outliers {ABOVE},time --packet 1000 -- ./ask "run 3000"
""", "untyped": f"""
slow untyped {EVERY} {LOOPS}
pstat -j -b $id --no-calibrate -e run_cnt,cs --outliers {ABOVE},time --packet 32 -- ./ask "run 3000"
echo status $?
pstat -j -b $id --no-calibrate -e run_cnt,cs --outliers {ABOVE},time -- ./ask "run 3000"
""", "two programs": f"""
slow xdp {EVERY} {LOOPS}
mkdir other; cd other; cp ../ask .
mkfifo in; bpf-slow raw_tp 100 {LOOPS} <in >out & raw=$!
exec 4>in
while ! [ -s out ]; do usleep 10000; done
pstat -j -b $id,$(head -n 1 out) --no-calibrate -e run_cnt,cs --outliers {ABOVE},time \\
    --packet 32 -- sh -c './ask "run 300"; cd ..; ./ask "run 2000"'
exec 4>&-
wait $raw
""", "csv in a file": f"""
slow xdp {EVERY} {LOOPS}
pstat -x, -o file -b $id --no-calibrate -e run_cnt --outliers {ABOVE},time --packet 16 -I 50 -- \\
    ./ask "run 2000"
cat file
""",
    # the work of a run does not depend on how often a run is slow
    "a percentile": f"""
slow xdp 1000000 {LOOPS}
pstat -j -b $id -e run_cnt,task-clock --outliers p99,task-clock --hist=task-clock -- sh -c '
    ./ask "run 10000"; usleep 300000; ./ask "every 5000"; ./ask "run 10000"'
slow xdp 1 {LOOPS}
pstat -j -b $id --no-calibrate -e run_cnt,task-clock --outliers p99,task-clock -- ./ask "run 50"
""", "too many": """
slow xdp 1 10
pstat -j -b $id --no-calibrate -e run_cnt --outliers 1,time --outlier-rate 50 -- ./ask "run 30000"
pstat -j -b $id --no-calibrate -e run_cnt --outliers 1,time -- ./ask "run 20000"
""",
    # pstat is stopped while runs are streamed
    "a slow reader": """
slow xdp 1 10
pstat -j -b $id --no-calibrate -e run_cnt --outliers 1,time \\
    --outlier-rate 1000000000 2>&1 >/dev/null & its=$!
while ! ls -l /proc/$its/fd | grep -q perf_event; do usleep 10000; done
usleep 500000
./ask "run 10" >/dev/null
kill -STOP $its
./ask "run 20000" >/dev/null
kill -CONT $its
usleep 300000
./ask "run 7" >/dev/null
usleep 100000
kill -INT $its
wait $its
echo status $?
""", "signals": f"""
slow xdp {EVERY} {LOOPS}
for sig in INT TERM; do
    pstat -j -b $id --no-calibrate -e run_cnt --outliers {ABOVE},time -I 100000 & its=$!
    while ! ls -l /proc/$its/fd | grep -q perf_event; do usleep 10000; done
    usleep 500000
    ./ask "run 3000" >/dev/null
    kill -$sig $its
    wait $its
    echo status $?
done
""", "in the control groups": f"""
mkdir /sys/fs/cgroup/a /sys/fs/cgroup/b
slow xdp {EVERY} {LOOPS}
echo $slow >/sys/fs/cgroup/a/cgroup.procs
for group in a b; do pstat -j -b $id --no-calibrate -e run_cnt,cs --for-each-cgroup $group \\
    --outliers {ABOVE},time -- ./ask "run 2000"; done
pstat -j -b $id --no-calibrate -e run_cnt,cs -p $$ --outliers {ABOVE},time -- ./ask "run 2000"
""", "followed": f"""
pstat -j -b 'name:slow_*' --follow --per-prog --no-calibrate -e run_cnt --outliers {ABOVE},time \\
    --packet 22 & its=$!
while ! ls -l /proc/$its/fd | grep -q perf_event; do usleep 10000; done
for i in 1 2; do
    slow xdp {EVERY} {LOOPS}
    usleep 2500000
    ./ask "run 1500" >/dev/null
done
stop_slow
usleep 2000000
kill -INT $its
wait $its
echo status $?
""", "switched": f"""
slow xdp {EVERY} {LOOPS}
mkfifo ctl ack
pstat -j -b $id -D -1 --control fifo:ctl,ack --no-calibrate -e run_cnt --outliers {ABOVE},time \\
    --packet 22 & its=$!
say() {{ echo $1 >ctl; head -c 4 <ack >/dev/null; }}
say ping
./ask "run 1000" >/dev/null
say enable
./ask "run 1000" >/dev/null
say disable
./ask "run 1000" >/dev/null
say enable
./ask "run 1000" >/dev/null
echo stop >ctl
wait $its
""", "again and again": f"""
slow xdp {EVERY} {LOOPS}
pstat -j -r 3 -b $id --no-calibrate -e run_cnt --outliers {ABOVE},time -- ./ask "run 2000"
""",
}


@pytest.fixture(scope="module", params=KERNELS)
def texts(request):
    steps = {name: f". ./slow\n{script}" for name, script in STEPS.items()}
    done = guest_each(steps, files=FILES, arch="x86_64", kernel=request.param, icount=True,
                      timeout=400)
    for name, result in done.items():
        assert result.returncode == 0, f"{name}: {result.stdout}"
    return {name: result.stdout for name, result in done.items()}


def objects(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def outliers(text):
    return [one for one in objects(text) if "outlier" in one]


def foot(text):
    """Returns the totals of the last line, after checking their sum."""
    feet = [one for one in objects(text) if "outliers" in one]
    assert len(feet) == 1, text
    return checked(feet[0], text)


def checked(one, text):
    assert one["streamed"] + one["suppressed"] + one["lost"] == one["all"], text
    return one


def number(one):
    """Returns the number of the run, which its packet contains."""
    return struct.unpack("<Q", bytes.fromhex(one["packet"])[14:22])[0]


def counts(one):
    return {count["event"]: count["value"] for count in one["counts"]}


def run_counts(text):
    return [float(one["counter-value"]) for one in objects(text) if one.get("event") == "run_cnt"]


def test_text_reports_have_a_line_for_each_slow_run_below_a_heading(texts):
    lines = texts["people"].splitlines()
    assert lines[0].split() == "# time cpu pid comm id prog counts of the run".split()
    for line in lines[1:4]:
        assert re.fullmatch(r" +\d+\.\d{9} +0 +\d+ bpf-slow +\d+ slow_xdp +\d+ ns task-clock +0 cs",
                            line), line
    assert re.search(
        r"^ outliers by task-clock: 3 streamed, 0 suppressed \(more than 1000 a "
        r"second\), 0 lost; 3 in all$", texts["people"], re.M)


def test_exactly_every_thousandth_run_is_streamed_with_its_packet(texts):
    text = texts["xdp"]
    found = outliers(text)
    assert [number(one) for one in found] == [EVERY * i for i in range(1, 8)]
    for one in found:
        data = bytes.fromhex(one["packet"])
        assert one["packet-length"] == 96 and len(data) == 32
        assert data[:14] == bytes(range(14)) and data[22:] == bytes(range(22, 32))
        assert (one["outlier"], one["cpu"], one["comm"], one["prog"]) == (
            "task-clock",
            0,
            "bpf-slow",
            "slow_xdp",
        )
        assert one["pid"] == one["tid"] > 1
        assert set(counts(one)) == {"cs", "task-clock"} and counts(one)["cs"] == 0
    assert foot(text) == {
        "outliers": "task-clock", "all": 7, "streamed": 7, "suppressed": 0, "lost": 0
    }
    assert run_counts(text) == [7000]
    times = [one["time"] for one in found]
    assert times == sorted(times) and times[0] > 0


def test_a_run_has_the_count_that_is_its_own(texts):
    """All iterations of the loop are equal; a timer tick may occur in some runs."""
    values = sorted(counts(one)["task-clock"] for one in outliers(texts["xdp"]))
    assert values[0] == values[2] > ABOVE, values


@pytest.mark.parametrize("kind, first, length", [("tc", 0, 96), ("socket", 14, 82)])
def test_packets_of_other_types_begin_where_the_program_sees_them_begin(texts, kind, first, length):
    found = outliers(texts[kind])
    assert len(found) == 3 and foot(texts[kind])["streamed"] == 3
    for i, one in enumerate(found):
        data = bytearray(bytes.fromhex(one["packet"]))
        if kind == "tc":
            assert number(one) == EVERY * (i + 1)
            data[14:22] = range(14, 22)
        # more bytes were requested than the packet has
        assert one["packet-length"] == length and data == bytes(range(first, 96))
        assert counts(one)["time"] > ABOVE


def test_packets_that_cannot_be_read_are_refused_with_the_reason_and_runs_are_still_streamed(texts):
    text = texts["untyped"]
    assert re.search(
        r"^pstat: --packet: -b \d+ \(slow_untyped\): its packets cannot be read: "
        r"its BTF does not declare", text, re.M)
    assert "pstat: --packet: none of the programs has packets that can be read" in text
    assert "status 255" in text
    assert [("packet" in one) for one in outliers(text)] == [False] * 3
    assert foot(text)["all"] == 3


def test_runs_of_two_programs_are_distinguished_and_only_one_has_packets(texts):
    found = outliers(texts["two programs"])
    assert [one["prog"] for one in found] == ["slow_raw_tp"] * 3 + ["slow_xdp"] * 2
    assert [("packet" in one) for one in found] == [False] * 3 + [True] * 2
    assert [number(one) for one in found[3:]] == [1000, 2000]
    assert foot(texts["two programs"])["streamed"] == 5


def test_csv_lines_go_where_the_counts_go(texts):
    lines = texts["csv in a file"].splitlines()
    lines = lines[lines.index(next(line for line in lines if line.startswith("outlier,"))):]
    first = [line for line in lines if line.startswith("outlier,")]
    assert len(first) == 2
    for i, line in enumerate(first):
        low = struct.pack("<Q", EVERY * (i + 1))[:2].hex()
        assert re.fullmatch(
            rf"outlier,\d+\.\d{{9}},0,\d+,bpf-slow,\d+,slow_xdp,\d+,ns,time,packet,96,"
            rf"{bytes(range(14)).hex()}{low}",
            line,
        ), line
    rest = [line for line in lines if not line.startswith("outlier,")]
    assert rest[-1] == "outliers,all,2,streamed,2,suppressed,0,lost,0"
    assert sum(int(line.split(",")[1]) for line in rest[:-1]) == 2000
    assert all(line.split(",")[3] == "run_cnt" for line in rest[:-1])


def test_only_the_runs_above_a_percentile_pass(texts):
    """p99 of very short runs is very short. Longer runs exceed it as soon as there were enough
    runs to know it."""
    first, second = re.split(r"(?<=\n)(?=\{\"counter-value\" : \"50\.)", texts["a percentile"])
    feet = [checked(one, first) for one in objects(texts["a percentile"]) if "outliers" in one]
    assert len(feet) == 2
    slow = [one for one in outliers(first) if counts(one)["task-clock"] > ABOVE]
    assert len(slow) == 2, slow
    # the threshold is the upper end of the bucket, so no streamed run is in it
    buckets = [(one["high"] * 1e6, one["runs"]) for one in objects(first) if "hist" in one]
    below, runs = 0, sum(runs for _, runs in buckets)
    for high, nr in buckets:
        below += nr
        if below >= 0.98 * runs:
            break
    assert all(counts(one)["task-clock"] > high for one in outliers(first))
    assert feet[0]["all"] <= 0.02 * runs
    # there are fewer runs than a percentile needs
    assert feet[1]["all"] == 0 and "outlier\"" not in second


def test_the_rate_limit_holds_and_all_are_accounted_for(texts):
    """There is an outlier every few microseconds of the guest's time."""
    feet = [
        checked(one, texts["too many"]) for one in objects(texts["too many"]) if "outliers" in one
    ]
    for rate, runs, one in ((50, 30000, feet[0]), (1000, 20000, feet[1])):
        assert one["all"] == runs
    took = [
        one["event-runtime"] for one in objects(texts["too many"]) if one.get("event") == "run_cnt"
    ]
    assert 50000 / sum(took) * 1e9 > 100000, took
    found = outliers(texts["too many"])
    assert len(found) == feet[0]["streamed"] + feet[1]["streamed"]
    for nr, (rate, runs) in enumerate(((50, 30000), (1000, 20000))):
        mine = found[:feet[0]["streamed"]] if nr == 0 else found[feet[0]["streamed"]:]
        seconds = mine[-1]["time"] - mine[0]["time"]
        # at most the rate in each second of the clock, including the first and the last, which are
        # incomplete
        sent = feet[nr]["streamed"] + feet[nr]["lost"]
        assert rate <= sent <= rate * (int(seconds) + 2), (rate, sent, seconds)
        assert len(mine) == feet[nr]["streamed"] > 0 and feet[nr]["suppressed"] == runs - sent


def test_a_reader_that_is_stopped_loses_runs_and_reports_how_many(texts):
    text = texts["a slow reader"]
    last = checked([one for one in objects(text) if "outliers" in one][-1], text)
    assert last["all"] == 20017
    assert last["lost"] > 10000 and last["suppressed"] == 0
    assert len(outliers(text)) == last["streamed"] > 1000
    # it continued afterwards
    assert outliers(text)[-1]["time"] - outliers(text)[-20]["time"] > 0.1


def test_a_signal_ends_it_with_all_lines_and_the_sum(texts):
    text = texts["signals"]
    feet = [checked(one, text) for one in objects(text) if "outliers" in one]
    assert [one["all"] for one in feet] == [3, 3] and len(outliers(text)) == 6
    assert re.findall(r"^status (\d+)$", text, re.M) == ["130", "143"]


def test_only_counted_runs_pass(texts):
    feet = [one for one in objects(texts["in the control groups"]) if "outliers" in one]
    assert [one["all"] for one in feet] == [2, 0, 0]
    for one in outliers(texts["in the control groups"]):
        assert set(counts(one)) == {"cs", "time"}


def test_runs_of_new_programs_are_streamed_under_their_own_ids(texts):
    found = outliers(texts["followed"])
    assert [(one["prog"], number(one)) for one in found] == [("slow_xdp", 1000)] * 2
    ids = [one["prog-id"] for one in found]
    assert ids[0] < ids[1]
    assert foot(texts["followed"])["streamed"] == 2 and "status 130" in texts["followed"]


def test_only_runs_while_it_is_enabled_pass(texts):
    assert [number(one) for one in outliers(texts["switched"])] == [2000, 4000]
    assert foot(texts["switched"])["all"] == 2


def test_the_runs_of_a_series_are_summed_up(texts):
    assert foot(texts["again and again"])["streamed"] == len(outliers(
        texts["again and again"])) == 6
