# SPDX-License-Identifier: GPL-2.0-only
"""pstat why in guests, whose kernels allow kernel probes: the cause of each refusal is known, and
pstat must find the function that refuses. The arm64 guest has hardware counters. No guest has
branch records, but the programs that take them are loaded."""

import json
import pathlib
import re

import pytest

from guest import GUESTS, OLD, USUAL, guest_outputs, machines

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
# Checks the effect of --branches, and that without it, nothing calls the helper.
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


NOBODY = "with-caps '' pstat why -j"
LEVEL = "echo {} >/proc/sys/kernel/perf_event_paranoid; "
FEW_FILES = "{cs:u,page-faults:u,task-clock:u,minor-faults:u,major-faults:u,cpu-clock:u}"
CGROUPS = "pstat why -j -a --for-each-cgroup / --bpf-counters -e cs"
NO_BTF = "mount -t tmpfs none /sys/kernel/btf; {}; umount /sys/kernel/btf"
# Debian's kernels for some architectures cannot disable the JIT.
NO_JIT = ("F=/proc/sys/net/core/bpf_jit_enable; echo 0 >$F 2>/dev/null; [ $(cat $F) = 1 ] || {}; "
          "echo 1 >$F")
LOCKED = ("mount -t securityfs none /sys/kernel/security; "
          "echo confidentiality >/sys/kernel/security/lockdown; {}")

# Refusals by policies, privileges and limits: command → cause of the last row.
POLICIES = {
    LEVEL.format(2) + f"{NOBODY} -e cs:k true": "perf_event_paranoid is above 1",
    LEVEL.format(2) + f"{NOBODY} -e cs:u -a": "perf_event_paranoid is above 0",
    LEVEL.format(1) + f"{NOBODY} -e cs -a": "perf_event_paranoid is above 0",
    LEVEL.format(2) + f"{NOBODY} -e cs:u -p 1": "belongs to another user",
    LEVEL.format(3) + f"{NOBODY} -e cs:u true": "perf_event_paranoid is above 2",
    LEVEL.format(3) + "with-caps perfmon pstat why -j -e cs -a": "perf_event_paranoid is above 2",
    LEVEL.format(2) + "with-caps perfmon pstat why -j -a -e cs:b": "EPERM: CAP_BPF is needed",
    LEVEL.format(0) + "with-caps bpf pstat why -j -a -e cs:b": "EPERM: CAP_PERFMON is needed",
    LEVEL.format(-1) + f"{NOBODY} -a -e cs:b": "EPERM: CAP_BPF and CAP_PERFMON are needed",
    LEVEL.format(-1) + f"{NOBODY} -a -e cycles:b,cs:b": "CAP_BPF and CAP_PERFMON are needed",
    "with-filter perf_event_open 1 pstat why -j -e cs -a": "a seccomp filter refuses",
    "with-filter perf_event_open 13 pstat why -j -e cs true": "a seccomp filter refuses",
    "with-filter perf_event_open 38 pstat why -j -e cs true": "a seccomp filter hides",
    "with-filter bpf 1 pstat why -j -e cs:b -a": "EPERM: a seccomp filter probably refuses bpf()",
    "with-filter bpf 38 pstat why -j -e cs:b -a": "ENOSYS: a seccomp filter probably refuses bpf()",
    f"ulimit -n 8; pstat why -j -e '{FEW_FILES}' true": "reached its limit of open files",
    NO_BTF.format(CGROUPS): "/sys/kernel/btf/vmlinux: No such file",
    NO_BTF.format("pstat why -j --scope func:do_nanosleep -e cs"): "/sys/kernel/btf/vmlinux: No",
    NO_JIT.format(CGROUPS): "the JIT compiler of BPF is disabled",
    LOCKED.format(CGROUPS): "the kernel is locked down (confidentiality)",
}

# Kills pstat while its programs are attached. Then nothing may be left.
KILL = """
events=$(seq 1001 1400 | sed 's|.*|mem:0x&01/8:w|' | paste -sd,)
for i in 1 2; do
    pstat why -e "$events" true >/dev/null 2>&1 & killed=$!
    until bpftool -j link | grep -q '"id"'; do kill -0 $killed || exit 1; done
    kill -9 $killed
    wait $killed
    echo status $?
done
for i in $(seq 50); do [ "$(bpftool -j link)" = '[]' ] && break; sleep 0.1; done
bpftool -j link; cat /sys/kernel/debug/kprobes/list /sys/kernel/tracing/enabled_functions
"""


# By default, all refusals are tried on these guests. With PSTAT_LONG=1, they are tried on all
# guests.
WITH_POLICIES = machines(("x86_64", USUAL), ("aarch64", OLD))


@pytest.fixture(scope="module", params=GUESTS, ids=lambda pair: "-".join(pair))
def answers(request):
    arch, kernel = request.param
    cases = {words: f"pstat why -j -e '{words}' true; true"
             for of, words in REFUSED if of == arch}
    if (arch, kernel) in WITH_POLICIES:
        cases["kill"] = f"({KILL}) 2>/dev/null"
        cases["table"] = "why-table"
    cases["rest"] = "bpftool -j link; bpftool -j prog | grep -c pstat_why; true"
    cases |= BRANCHES
    cases["why -v"] = "pstat why -v -e mem:0x1001/8:rw true; true"
    if (arch, kernel) in WITH_POLICIES:
        # This must be last, because the kernel stays locked down.
        cases.update({command: f"cd /; ({command}) 2>/dev/null; true" for command in POLICIES})
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
        # If a check is not in a function of its own, only the changes find it.
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
        # A CPU without branch records is reported once.
        assert text.count(NO_BRANCHES) == (1 if option else 0), text
        helpers = int(re.search(r"^\d+$", text, re.M)[0])
        assert (helpers > 0) == bool(option), text


def test_why_reports_that_there_are_no_branch_records(answers):
    text = answers[1]["why -v"]
    assert text.count(NO_BRANCHES) == 1, text
    assert "refused by   hw_breakpoint_arch_parse" in text, text
    # Without -v, this is not worth a message.
    assert not any(NO_BRANCHES in answers[1][words] for words in answers[1] if "why" not in words
                   and "branches" not in words)


def test_nothing_stays_attached_if_it_is_killed(answers):
    if "kill" not in answers[1]:
        pytest.skip("probe: PSTAT_LONG: only `make check-long` kills pstat on this guest")
    assert answers[1]["kill"].split("\n") == ["status 137", "status 137", "[]", ""]


def verdict(text, cause):
    """Returns whether the cause in the last row of the answer is right, wrong or unknown. Returns
    None if the event was not refused, because the kernel does not have this policy."""
    if not text.strip():
        return None
    row = json.loads(text)[-1]
    assert not row.get("opens", row.get("works")), (cause, row)
    return "unknown" if "cause" not in row else "right" if cause in row["cause"] else "wrong"


def test_the_culprit_is_right_or_unknown(answers):
    """At least 95 of 100 refusals have the right cause, and none has a wrong one."""
    _, found = answers
    if "table" not in found:
        pytest.skip("probe: PSTAT_LONG: only `make check-long` tries all refusals on this guest")
    verdicts = {name: verdict for verdict, _, name in map(str.split, found["table"].splitlines())
                if verdict != "opens"}
    verdicts.update({command: verdict(found[command], cause)
                     for command, cause in POLICIES.items()})
    all_verdicts = [verdict for verdict in verdicts.values() if verdict]
    odd = {name: (verdict, found.get(name)) for name, verdict in verdicts.items()
           if verdict not in ("right", None)}
    print(f"{len(all_verdicts)} refusals, {all_verdicts.count('right')} right, {odd}")
    assert len(all_verdicts) >= 60 and "wrong" not in all_verdicts, odd
    assert all_verdicts.count("right") >= 0.95 * len(all_verdicts), odd
