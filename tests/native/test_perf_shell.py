# SPDX-License-Identifier: GPL-2.0-only
"""Runs the kernel's shell tests of `perf stat`, from Debian's package linux-source, with pstat
under the name perf. Problems that these tests found are also tested in test_stand_in.py,
test_wrappers.py and test_golden.py."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from native import IN_C, PSTAT

SOURCES = sorted(pathlib.Path("/usr/src").glob("linux-source-*.tar.xz"))
SHELL = "tools/perf/tests/shell"
PERF = os.environ.get("PERF") or shutil.which("perf")
# These tests depend on the CPU model: the kernel may be unable to open perf's events for the model,
# and pstat has its own metrics.
OF_THE_MODEL = {"stat_all_metricgroups", "stat_all_metrics"}
PASSED, SKIPPED = 0, 2

pytestmark = [
    pytest.mark.skipif(not os.environ.get("PSTAT_LONG"), reason="PSTAT_LONG is not set"),
    pytest.mark.skipif(not SOURCES, reason="probe: no /usr/src/linux-source-*.tar.xz"),
    pytest.mark.skipif(not PERF, reason="probe: perf is not in PATH"),
]


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Returns the directory of the shell tests, and {tool: directory in which the tool is called
    perf}."""
    top = tmp_path_factory.mktemp("linux-source")
    subprocess.run(["tar", "-C", top, "--wildcards", "-xJf", SOURCES[-1], f"*/{SHELL}"], check=True)
    tools = {}
    for name, path in (("perf", PERF), ("pstat", PSTAT)):
        tools[name] = top / name
        tools[name].mkdir()
        (tools[name] / "perf").symlink_to(os.path.realpath(path))
    return next(top.glob(f"*/{SHELL}")), tools


def names_of(folder):
    return sorted(path.stem for path in folder.glob("*stat*.sh")
                  if re.match(r"(test_)?stat[+_.]", path.name))


def outcome(name, folder, *path):
    """Returns the exit status and the output of a test."""
    script = folder / f"{name}.sh"
    interpreter = script.read_text(encoding="utf-8").splitlines()[0].removeprefix("#!").split()[0]
    env = {**os.environ, **IN_C, "PATH": ":".join(map(str, [*path, os.environ["PATH"]]))}
    done = subprocess.run([interpreter, script, "-v"], cwd=folder, env=env, capture_output=True,
                          text=True, check=False, timeout=300, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


def test_the_kernel_s_shell_tests_pass_or_skip_as_they_do_with_perf(shell):
    folder, tools = shell
    names, wrong = names_of(folder), []
    assert len(names) >= 10
    for name in names:
        with_perf, _ = outcome(name, folder, tools["perf"])
        with_pstat, text = outcome(name, folder, tools["pstat"], tools["perf"])
        print(name, with_perf, with_pstat)
        # This perf may have been built without BPF, or may be older than the test.
        expected = {with_perf, PASSED}
        if with_perf not in (PASSED, SKIPPED) or name in OF_THE_MODEL:
            expected.add(SKIPPED)
        if with_pstat not in expected:
            wrong.append(f"{name}: perf {with_perf}, pstat {with_pstat}\n{text[-2000:]}")
    assert not wrong, "\n".join(wrong)
