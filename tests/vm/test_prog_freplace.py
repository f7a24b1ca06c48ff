# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b while loaders replace functions of BPF programs (freplace). libxdp's tools keep working,
and their programs are counted."""
import json
import pathlib
import re
import subprocess

import pytest

from csv_rows import series
from guest import GuestError, guest_each

HERE = pathlib.Path(__file__).parent
LOADS = 10
EARLY = 4
PINGS = 7

COMMANDS = {
    # a program is counted from 0.1 s after it was loaded, and reuses the row of its predecessor
    # once that is unloaded
    "followed": f"""
. ./xdp
pstat -x, -b all --follow --per-prog -e run_cnt >rows 2>&1 & count=$!
usleep 500000
for i in $(seq {LOADS}); do
    load && echo loaded
    usleep 400000
    packets {PINGS}
    unload
    usleep 3000000
done
kill -INT $count; wait $count
cat rows
""",
    # pstat starts during a load, a little later each time
    "at once": f"""
. ./xdp
for i in $(seq {EARLY}); do
    ( usleep $((i * 40000)); exec pstat -v -x, -b all -e run_cnt -- ping -q -c {PINGS} \\
        -A 127.0.0.1 ) >rows 2>&1 & count=$!
    load && echo loaded
    wait $count; cat rows
    unload
done
""", "replaced": """
. ./xdp
load
pstat progs
pstat progs -j
pstat -b $(id_of xdp_dispatcher) -e cs true; echo status $?
pstat -b name:xdp_dispatcher -e cs true; echo status $?
pstat -x, -b all -e run_cnt true; echo status $?
unload
""", "two in one": f"""
. ./xdp
load
quietly xdp-tools/xdp-loader load -m skb lo xdp-tools/xdpfilt_alw_eth.o
pstat progs
dispatcher=$(id_of xdp_dispatcher)
pstat -b $dispatcher:prog0 -e cs true; echo status $?
pstat -x, -b all --per-prog -e run_cnt -- ping -q -c {PINGS} -A 127.0.0.1
quietly xdp-tools/xdp-loader unload lo --all
""",
}


@pytest.fixture(scope="module")
def results():
    tools = subprocess.run([HERE / "xdp-tools", "x86_64"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    if tools.returncode:
        raise GuestError(tools.stderr)
    files = [tools.stdout.strip(), HERE / "guest-files" / "xdp"]
    done = guest_each(COMMANDS, files=files, arch="x86_64", kernel="6.12", icount=True, timeout=300)
    return {name: result.stdout for name, result in done.items()}


def test_libxdp_loads_and_unloads_programs_while_all_programs_are_followed(results):
    text = results["followed"]
    assert text.count("loaded\n") == LOADS and "failed" not in text, text


def test_programs_that_libxdp_loads_count_each_run_once(results):
    """Only the program that replaces the dispatcher's function runs."""
    found = re.findall(r"^\d+,xdpfilt_alw_all,(\d+),,run_cnt,", results["followed"], re.M)
    assert sum(map(int, found)) == LOADS * PINGS * 2, results["followed"]
    assert "xdp_dispatcher" not in results["followed"], results["followed"]


def test_programs_that_are_being_loaded_when_a_count_starts_are_left_alone_and_then_counted(
        results):
    text = results["at once"]
    assert text.count("loaded\n") == EARLY and "failed" not in text, text
    assert [row.value for row in series(text, "run_cnt")] == [2 * PINGS] * EARLY, text
    # otherwise the count did not start in the middle of a load
    assert (
        len(
            re.findall(
                r"^pstat: -b: program \d+ \(xdp_dispatcher\) is left out: replaced by "
                r"program \d+",
                text,
                re.M,
            )
        )
        >= 2
    ), text


def test_the_list_names_the_program_that_replaces_another(results):
    text = results["replaced"]
    by, = re.findall(r"^ *(\d+) +ext +xdpfilt_alw_all .* yes$", text, re.M)
    its, = re.findall(
        rf"^ *(\d+) +xdp +xdp_dispatcher .* no: replaced by program {by}: use -b "
        rf"{by}$", text, re.M)
    progs = {
        prog["id"]: prog for prog in json.loads(text[text.index("[\n"):text.index("\n]\n") + 3])
    }
    assert progs[int(its)]["replaced_by"] == int(by) and progs[int(its)]["countable"] is False
    assert "replaced_by" not in progs[int(by)]


def test_a_program_that_is_replaced_is_refused_with_the_program_to_count_instead(results):
    text = results["replaced"]
    by, = re.findall(r"^ *(\d+) +ext +xdpfilt_alw_all ", text, re.M)
    assert re.search(rf"^pstat: -b \d+ \(xdp_dispatcher\): replaced by program {by}: use -b {by}$",
                     text, re.M), text
    assert re.search(
        r"^pstat: -b: none of these programs can be counted \(1\): replaced by "
        rf"program {by}: use -b {by}$", text, re.M), text
    # the replaced program does not run, so -b all loses nothing without it and does not warn
    assert text.count("status 255") == 2 and text.endswith(
        "status 0\n") and "are left out" not in text, text


def test_a_dispatcher_and_its_two_programs_are_all_counted(results):
    text = results["two in one"]
    counts = {
        name: int(runs) for name, runs in re.findall(r"^\d+,(\w+),(\d+),,run_cnt,", text, re.M)
    }
    assert counts == dict.fromkeys(("xdp_dispatcher", "xdpfilt_alw_all", "xdpfilt_alw_eth"),
                                   2 * PINGS), text
    by = re.search(r"^ *(\d+) +ext +xdpfilt_alw_all ", text, re.M)[1]
    assert re.search(
        rf"^pstat: -b \d+:prog0 \(xdp_dispatcher:prog0\): replaced by program {by}: "
        rf"use -b {by}$", text, re.M), text
