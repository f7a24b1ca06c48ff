# SPDX-License-Identifier: GPL-2.0-only
"""Checks that each capability allows what the section SECURITY of pstat(1) states."""

import os
import pathlib
import re
import subprocess

import pytest

from native import FAILED, IN_C, PATIENCE

NOTHING = "nothing"
PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")

# Each row: a command, and the sets of capabilities (keys of `SETS`) with which it works.
ANYONE = (NOTHING, "perfmon", "bpf", "bpf,perfmon", "sys_admin")
SEE_ALL = ("perfmon", "bpf,perfmon", "sys_admin")
LOAD = ("bpf,perfmon", "sys_admin")
LOOK_UP = ("sys_admin",)
COMMANDS = {
    "its own tasks": (("-e", "page-faults:u", "true"), ANYONE),
    "all CPUs": (("-a", "-e", "cs", "true"), SEE_ALL),
    "a task of another user": (("-p", "1", "-e", "task-clock", "true"), SEE_ALL),
    "counters in BPF": (("-a", "-e", "task-clock:b", "true"), LOAD),
    "control groups in BPF": (
        ("-a", "--bpf-counters", "--for-each-cgroup", "/", "-e", "cs", "true"),
        LOAD,
    ),
    "a profile": (("profile", "-a", "true"), LOAD),
    "a scope": (("--scope", "uprobe:libc:getpid", "-e", "run_cnt,task-clock", "true"), LOAD),
    "programs": (("-b", "all", "--follow", "-e", "run_cnt", "true"), LOOK_UP),
    "the loaded programs": (("progs",), LOOK_UP),
}


def run_with(caps, folder, *args):
    """Runs pstat as an ordinary user with only these capabilities."""
    argv = [f"{folder}/pstat", *args]
    if caps == NOTHING:
        prefix = [
            "setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all"
        ]
    else:
        prefix = [f"{folder}/with-caps", caps]
    return subprocess.run([*prefix, *argv], capture_output=True, text=True, check=False,
                          env={**os.environ, **IN_C}, cwd="/", timeout=PATIENCE)


def allowed_by_paranoid(what):
    """Checks whether this machine's kernel.perf_event_paranoid allows every user to do what the
    table treats as a privilege."""
    level = int(PARANOID.read_text(encoding="ascii"))
    return what == "all CPUs" and level <= 0


# if the user nobody pinned a map with CAP_SYS_ADMIN, root could no longer share counters
@pytest.mark.parametrize("caps", ANYONE)
@pytest.mark.parametrize("what", COMMANDS)
@pytest.mark.usefixtures("own_pins")
def test_a_capability_allows_what_the_manual_page_says(for_all, what, caps):
    args, enough = COMMANDS[what]
    done = run_with(caps, for_all, *args)
    if what == "its own tasks" and int(PARANOID.read_text(encoding="ascii")) > 2:
        pytest.skip("probe: kernel.perf_event_paranoid is above 2, which only the "
                    "kernels of some distributions support")
    if caps in enough or allowed_by_paranoid(what):
        assert done.returncode == 0, done.stderr
        return
    assert done.returncode == FAILED, done.stderr
    assert re.search(r"EPERM|EACCES|not permitted", done.stderr), done.stderr
    assert re.search(r"CAP_|root", done.stderr), done.stderr


@pytest.mark.parametrize("caps", ["bpf,perfmon", "bpf,perfmon,syslog"])
def test_with_cap_syslog_a_profile_names_functions_of_the_kernel(for_all, caps):
    level = int(PARANOID.read_text(encoding="ascii"))
    hidden = int(pathlib.Path("/proc/sys/kernel/kptr_restrict").read_text(encoding="ascii"))
    if level != 2 or hidden > 1:
        pytest.skip(f"probe: kernel.perf_event_paranoid is {level}, kptr_restrict is {hidden}")
    done = run_with(caps, for_all, "profile", "-a", "-e", "cpu-clock", "-c", "100000", "-x,",
                    "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=500")
    if done.returncode and "not permitted" in done.stderr:
        pytest.skip(f"probe: pstat profile with {caps}: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    named = re.findall(r"^symbol,.*,kernel,([^,]+),", done.stdout, re.M)
    assert bool(named) == ("syslog" in caps), done.stdout + done.stderr
    missing = "the kernel shows no addresses (kernel.kptr_restrict, or CAP_SYSLOG is missing)"
    assert (missing in done.stderr) == ("syslog" not in caps), done.stderr
