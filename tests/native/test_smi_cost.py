# SPDX-License-Identifier: GPL-2.0-only
"""--smi-cost on an imitated machine that has freeze_on_smi, and on this machine, which may not
have it."""

import json
import os

import pytest

from native import CONFLICT, PSTAT, TOP, run

METRICS = TOP / "tests/data/metrics/smi.json"
SETTING = "/sys/bus/event_source/devices/cpu/freeze_on_smi"


def shell(machine, script):
    return machine.run(["sh", "-c", script.replace("PSTAT", f"{PSTAT} --metrics-file={METRICS}")])


def test_the_setting_is_on_while_pstat_counts_and_off_afterwards(icelake):
    done = shell(icelake, f"cat {SETTING}; PSTAT --smi-cost -x, cat {SETTING}; cat {SETTING}")
    assert done.stdout.split() == ["0", "1", "0"]
    heading, values = done.stderr.splitlines()
    assert sorted(heading.rstrip(",").split(",")) == ["%  smi_cycles", "GHz", "SMI#  smi_num"]
    assert len(values.split(",")) == 4


def test_options_that_override_smi_cost_leave_the_setting_alone(icelake, tmp_path):
    (tmp_path / "tx.json").write_text(json.dumps([
        {"MetricName": "tx", "MetricExpr": "cycles", "MetricGroup": "transaction"}]))
    transactions = f"--metrics-file={tmp_path}/tx.json -T"
    for option in (transactions, "-n"):
        for options in (f"--smi-cost {option}", f"{option} --smi-cost"):
            done = shell(icelake, f"PSTAT {options} -x, cat {SETTING}")
            assert (done.returncode, done.stdout) == (0, "0\n"), (options, done.stderr)
            assert "smi" not in done.stderr
    # --smi-cost overrides --topdown and -d.
    done = shell(icelake, "PSTAT --topdown --smi-cost -d --no-metric-only -x, true")
    assert done.returncode == 0 and "smi_num" in done.stderr and "L1-dcache" not in done.stderr


def test_a_signal_does_not_leave_the_setting_on(icelake):
    done = shell(icelake,
                 f"PSTAT --smi-cost -a -x, sh -c 'kill -TERM $PPID; sleep 10'; cat {SETTING}")
    assert done.stdout.split() == ["0"]


@pytest.mark.parametrize("sig", ["QUIT", "PIPE", "ALRM", "USR1"])
def test_signals_that_kill_a_session_also_switch_the_setting_off(icelake, sig):
    done = shell(
        icelake, f"PSTAT --smi-cost -a -x, sh -c 'cat {SETTING}; kill -{sig} $PPID; sleep 0.5'; "
        f"kill -l $?; cat {SETTING}")
    assert done.stdout.split() == ["1", sig, "0"]


def test_a_reader_that_goes_away_does_not_leave_the_setting_on(icelake):
    done = shell(
        icelake, f"{{ PSTAT --smi-cost -a -I 20 -x, sleep 10 2>&1; kill -l $? >&2; }} | head -1 "
        ">/dev/null; "
        f"cat {SETTING}")
    assert (done.stdout.split(), done.stderr.split()) == (["0"], ["PIPE"])


def test_a_setting_that_is_on_already_stays_on(icelake):
    done = shell(
        icelake, f"echo 1 > {SETTING}; PSTAT --smi-cost -x, true; cat {SETTING}; echo 0 > "
        f"{SETTING}")
    assert done.stdout.split() == ["1"]


# Runs sessions that count until the script ends them: `begin NAME`, and `end NAME` or `killed NAME
# SIGNAL`.
SESSIONS = f"""
begin() {{
    mkfifo $1.on $1.off
    PSTAT --smi-cost -a -x, sh -c "echo >$1.on; read x <$1.off" 2>/dev/null & echo $! >$1.pid
    read x <$1.on
}}
end() {{ echo >$1.off; wait $(cat $1.pid); }}
# the command of a session that a signal killed still waits
killed() {{ kill -$2 $(cat $1.pid); wait $(cat $1.pid) 2>/dev/null; echo >$1.off; }}
show() {{ cat {SETTING}; }}
echo 0 > {SETTING}
"""


@pytest.mark.parametrize("script, shown", [
    ("begin a; begin b; end a; show; end b; show", "10"),
    ("begin a; begin b; end b; show; begin c; end a; show; end c; show", "110"),
    ("begin a; begin b; killed a 9; show; end b; show", "10"),
    ("begin a; kill -TERM $(cat a.pid); wait; show; begin b; show; end b; show", "010"),
    ("begin a; begin b; killed a USR1; show; end b; show", "10"),
    ("begin a; killed a 9; show; begin b; show; end b; show", "110"),
    (f"echo 1 >{SETTING}; begin a; begin b; end a; end b; show", "1"),
    (f"begin a; killed a 9; echo 0 >{SETTING}; begin b; show; end b; show", "10")])
def test_the_last_of_several_sessions_switches_the_setting_off(icelake, scratch, script, shown):
    done = shell(icelake, SESSIONS + script + f"; echo 0 >{SETTING}")
    assert done.stdout.split() == list(shown), done.stderr


def test_the_setting_that_root_made_is_used_for_users_who_cannot_change_it(icelake):
    as_user = "setpriv --reuid 65534 --regid 65534 --clear-groups"
    done = shell(
        icelake, f"chmod 644 {SETTING}; echo 1 >{SETTING}; {as_user} PSTAT --smi-cost -x, true; "
        "echo $?; "
        f"cat {SETTING}; echo 0 >{SETTING}; {as_user} PSTAT --smi-cost -x, true; echo $?")
    assert done.stdout.split() == ["0", "1", str(CONFLICT)]
    assert "lock" not in done.stderr and "Failed to set freeze_on_smi." in done.stderr


def test_a_lock_file_that_others_can_write_is_not_used(icelake):
    lock = "/run/pstat-smi.lock"
    done = shell(
        icelake, f"rm -f {lock}; touch {lock}; chmod 666 {lock}; PSTAT --smi-cost -x, cat "
        f"{SETTING}; "
        f"cat {SETTING}; rm {lock}")
    assert done.stdout.split() == ["1", "0"]
    assert f"--smi-cost: {lock} cannot be used: " in done.stderr


def test_counts_are_shown_if_the_user_wants_them(icelake):
    done = shell(icelake, "PSTAT --smi-cost --no-metric-only -x, true")
    assert "msr/smi/" in done.stderr and "smi_num" in done.stderr


def test_without_the_metrics_or_the_setting_perfs_message_is_printed(icelake):
    done = icelake.run([PSTAT, "--events-dir", os.curdir, "--smi-cost", "true"])
    assert (done.returncode, done.stderr.splitlines()[0]) == (CONFLICT, "Missing smi metrics")
    if not os.path.exists(SETTING):
        done = run("--smi-cost", "true")
        assert (done.returncode, done.stderr) == (CONFLICT, "freeze_on_smi is not supported.\n")
