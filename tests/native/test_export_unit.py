# SPDX-License-Identifier: GPL-2.0-only
"""The systemd units of `pstat export`: their capabilities and their filter of system calls."""

import configparser
import os
import re
import shutil
import subprocess

import pytest

import seccomp
from native import FAILED, IN_C, PATIENCE, TOP
from prometheus import labelled, openmetrics

UNITS = TOP / "examples/export"
SERVICE = UNITS / "pstat-export.service"
# systemd 252 calculates 2.1; later versions know more options
EXPOSURE = 2.5


@pytest.fixture(name="service", scope="module")
def service_():
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(SERVICE, encoding="utf-8")
    return parser["Service"]


def caps_of(service):
    """Returns the capabilities of the unit in lower case, without CAP_."""
    return [name.lower().removeprefix("cap_") for name in service["AmbientCapabilities"].split()]


def page_with(caps, folder, args, **popen):
    """Runs `pstat export --once` as an ordinary user with only these capabilities."""
    return subprocess.run(
        [f"{folder}/with-caps", ",".join(caps), f"{folder}/pstat", "export", "--once", "-I", "20",
         *args], capture_output=True, text=True, check=False, cwd="/", timeout=PATIENCE,
        env={**os.environ, **IN_C}, **popen)


def options_of(service):
    """Returns the options of ExecStart. The cgroups of the unit may not exist on this machine."""
    words = service["ExecStart"].split()
    assert words[:2] == ["/usr/bin/pstat", "export"]
    return [word.replace("^system.slice", "/") for word in words[2:]]


def is_counted(done, event):
    return done.returncode == 0 and \
        list(labelled(openmetrics(done.stdout), "pstat_event_up", event=event).values()) == [1]


@pytest.mark.usefixtures("own_pins")
def test_the_service_counts_with_its_capabilities_and_with_none_fewer(for_all, service):
    caps, args = caps_of(service), options_of(service)
    assert service["CapabilityBoundingSet"] == service["AmbientCapabilities"]
    assert len(caps) == 2
    done = page_with(caps, for_all, args)
    assert is_counted(done, "task-clock"), done.stdout + done.stderr
    for cap in caps:
        done = page_with([other for other in caps if other != cap], for_all, args)
        assert done.returncode == FAILED and f"CAP_{cap.upper()} is needed" in done.stderr


# the comments of the unit
@pytest.mark.parametrize("args, caps", [
    (["-a", "-e", "cs"], "perfmon"),
    (["-p", "1", "-e", "task-clock"], "perfmon"),
    (["--scope", "uprobe:libc:getpid", "-e", "task-clock"], "perfmon,bpf"),
    (["-b", "all", "--follow", "-e", "run_cnt"], "sys_admin"),
])
@pytest.mark.usefixtures("own_pins")
def test_the_capabilities_that_the_unit_names_are_enough(for_all, args, caps):
    done = page_with([caps], for_all, args)
    assert is_counted(done, args[-1]), done.stdout + done.stderr


@pytest.mark.usefixtures("own_pins")
def test_the_service_counts_with_its_filter_of_system_calls(for_all, service):
    if not shutil.which("systemd-analyze"):
        pytest.skip("probe: systemd-analyze: not installed")
    allowed, sets = {"bpf", "perf_event_open"}, ["@system-service"]
    assert service["SystemCallFilter"].split() == [*sets, *sorted(allowed)]
    while sets:
        text = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", sets.pop()],
                              capture_output=True, text=True, check=True).stdout
        words = re.findall(r"^    ([@\w]\S*)$", text, re.M)
        sets += [word for word in words if word.startswith("@")]
        allowed.update(words)
    refused = [name for name in seccomp.system_calls() if name not in allowed]
    assert "ptrace" in refused and "openat" not in refused
    # Unlike systemd's filter, seccomp.refusing() also applies to with-caps, which needs these
    # calls.
    needed = {"execve", "capset", "prctl", "setresuid", "setresgid", "setgroups", "chdir"}
    done = page_with(caps_of(service), for_all, options_of(service),
                     preexec_fn=seccomp.refusing(*(set(refused) - needed)))
    assert is_counted(done, "task-clock"), done.stdout + done.stderr


def test_systemd_accepts_the_units_and_their_protection(tmp_path, service):
    if not shutil.which("systemd-analyze"):
        pytest.skip("probe: systemd-analyze: not installed")
    for name in ("pstat-export.service", "pstat-export.socket"):
        text = (UNITS / name).read_text(encoding="utf-8")
        (tmp_path / name).write_text(text.replace("/usr/bin/pstat", shutil.which("true")),
                                     encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
         *sorted(tmp_path.iterdir())], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--no-pager",
         f"--threshold={int(EXPOSURE * 10)}", tmp_path / "pstat-export.service"],
        capture_output=True, text=True, check=False)
    exposure = re.search(r"exposure level for \S+: (\S+)", done.stdout)
    assert exposure and float(exposure[1]) <= EXPOSURE and done.returncode == 0, done.stdout[-3000:]
    assert service["DynamicUser"] == "yes"
