# SPDX-License-Identifier: GPL-2.0-only
"""pstat why in guests, whose kernels allow kernel probes: the cause of each refusal is known, and
the function that refuses is found. The arm64 guest has hardware counters. No guest has branch
records, but the programs that take them are loaded."""

import json
import pathlib
import re

import pytest

from guest import GUESTS, guest_outputs

GROUP = "{cycles,instructions,r11,r8,r1b,instructions:u,r9,r10}"
ADDRESSES = range(0x1000, 0x7000, 0x1000)
BREAKPOINTS = "{" + ",".join(f"mem:{address:#x}/4:w" for address in ADDRESSES) + "}"
NO_PMU = "no PMU of this machine counts hardware events"
FULL = "all breakpoint registers are in use"
ALIGNED = "for an address that is a multiple of 8"

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "slow")]
NO_BRANCHES = "this CPU has no branch records"
CALLS = """for p in $(bpftool -j prog | tr "{" "\\n" |
    sed -n "s/.*\\"id\\":\\([0-9]*\\),.*_end.*/\\1/p")
do bpftool prog dump xlated id $p; done | grep -c branch_snapshot;"""
# What --branches does when it is given, and that nothing calls the helper without it.
BRANCHES = {
    f"{kind}{option}": f"""
{start}
pstat -x, {what} --no-calibrate -e run_cnt --outliers 0,time {option} -- sh -c '
{CALLS} {work}'
""" for option in ("", " --branches") for kind, what, start, work in (
        ("program", "-b $id", ". ./slow\nslow xdp 1 1", './ask "run 3"'),
        ("function", "--scope uprobe:$(command -v scope-calls):work", "", "scope-calls -m 3 -k 98"))
}

# architecture, words → number of the refused event, error, change that helps, function, cause
REFUSED = {
    ("aarch64", GROUP): (7, "EINVAL", "outside of its group", "validate_group", "does not fit"),
    ("aarch64", "cycles:I"): (0, ("EOPNOTSUPP", "EPERM"), "without the modifier I (exclude_idle)",
                              "armpmu_event_init", "cannot leave out idle time"),
    ("aarch64", "mem:0x1001/8:rw"): (0, "EINVAL", ALIGNED, "hw_breakpoint_arch_parse", "length"),
    ("aarch64", "{cycles,cs:D}"): (1, "EINVAL", "without the modifier D (pinned)", None,
                                   "only the leader of a group can be pinned"),
    ("aarch64", "{cs,cycles:e}"): (1, "EINVAL", "without the modifier e (exclusive)", None,
                                   "only the leader of a group can be exclusive"),
    ("aarch64", BREAKPOINTS): (4, "ENOSPC", None, "__reserve_bp_slot", FULL),
    ("x86_64", "cycles"): (0, "ENOENT", None, "perf_event_alloc", NO_PMU),
    ("x86_64", "r1ff:u"): (0, "ENOENT", None, "perf_event_alloc", NO_PMU),
    ("x86_64", "LLC-loads"): (0, "ENOENT", None, "perf_event_alloc", NO_PMU),
    ("x86_64", "{cs,cycles}"): (1, "ENOENT", None, "perf_event_alloc", NO_PMU),
    ("x86_64", "mem:0x1001/8:rw"): (0, "EINVAL", ALIGNED, "hw_breakpoint_arch_parse", "length"),
    ("x86_64", "mem:0x1000/4:x"): (0, "EINVAL", "for the length that execution needs",
                                   "hw_breakpoint_arch_parse", "execution for one length only"),
    ("x86_64", "mem:0x1000/3:w"): (0, "EINVAL", "for a length of 1 byte",
                                   "hw_breakpoint_arch_parse", "length"),
    ("x86_64", "mem:0x1000/4:r"): (0, "EINVAL", "for writes only", "hw_breakpoint_arch_parse",
                                   "cannot watch for this kind of access"),
    ("x86_64", BREAKPOINTS): (4, "ENOSPC", None, "__reserve_bp_slot", FULL),
    ("x86_64", "{cs,page-faults:D}"): (1, "EINVAL", "without the modifier D (pinned)", None,
                                       "only the leader of a group can be pinned"),
    ("x86_64", "{cs,page-faults:e}"): (1, "EINVAL", "without the modifier e (exclusive)", None,
                                       "only the leader of a group can be exclusive"),
}


@pytest.fixture(scope="module", params=GUESTS, ids=lambda pair: "-".join(pair))
def answers(request):
    arch, kernel = request.param
    cases = {words: f"pstat why -j -e '{words}' true; true"
             for of, words in REFUSED if of == arch}
    cases["rest"] = "bpftool -j link; bpftool -j prog | grep -c pstat_why; true"
    cases |= BRANCHES
    cases["why -v"] = "pstat why -v -e mem:0x1001/8:rw true; true"
    found = guest_outputs(cases, arch=arch, kernel=kernel, icount=arch == "aarch64", files=FILES)
    return arch, found


def test_the_refused_part_is_found(answers):
    arch, found = answers
    for (of, words), (number, error, change, function, cause) in REFUSED.items():
        if of != arch:
            continue
        rows = json.loads(found[words])
        row = rows[number]
        assert all(before["opens"] for before in rows[:number]), (words, rows)
        assert row["error"] in error, (words, row)
        assert cause in row.get("cause", ""), (words, row)
        assert not change or any(change in way for way in row["opens_with"]), (words, row)
        # a check that is not in a function of its own is found by the changes only
        seen = [row.get("function"), *row.get("callers", "").split(", ")]
        assert not function or function in seen, (words, row)


def test_nothing_stays_attached(answers):
    assert answers[1]["rest"].split() == ["[]", "0"], answers[1]["rest"]


@pytest.mark.parametrize("kind", ["program", "function"])
def test_branches_are_taken_only_if_they_are_requested(answers, kind):
    for option in ("", " --branches"):
        text = answers[1][kind + option]
        assert len(re.findall("^outlier,", text, re.M)) == 3, text
        assert "outliers,all,3,streamed,3,suppressed,0,lost,0" in text
        # a CPU without branch records is reported once
        assert text.count(NO_BRANCHES) == (1 if option else 0), text
        helpers = int(re.search(r"^\d+$", text, re.M)[0])
        assert (helpers > 0) == bool(option), text


def test_why_reports_that_there_are_no_branch_records(answers):
    text = answers[1]["why -v"]
    assert text.count(NO_BRANCHES) == 1, text
    assert "refused by   hw_breakpoint_arch_parse" in text, text
    # without -v, this is not worth a message
    assert not any(NO_BRANCHES in answers[1][words] for words in answers[1] if "why" not in words
                   and "branches" not in words)
