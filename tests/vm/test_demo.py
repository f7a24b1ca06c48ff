# SPDX-License-Identifier: GPL-2.0-only
"""The demonstration that the README names, on a fresh clone."""
import os
import pathlib
import re
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def git(*args, cwd):
    return subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True,
                          text=True).stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    if not (TOP / ".git").exists():
        pytest.skip(f"{TOP} is no git checkout, of which a clone could be made")
    path = tmp_path_factory.mktemp("fresh") / "pstat"
    git("clone", "-q", "--no-hardlinks", str(TOP), str(path), cwd="/")
    return path


def test_make_demo_counts_a_running_program_for_three_intervals_and_leaves_the_clone_clean(clone):
    environment = {
        name: value for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "O")
    }
    demo = subprocess.run(["make", "-j2", "demo"], cwd=clone, env=environment, capture_output=True,
                          text=True, check=False)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    text = demo.stdout + demo.stderr
    assert " warning: " not in text, text  # gcc builds for this machine, and clang for the guest
    assert re.search(r"^demo: (on this machine|in an arm64 guest)", text, re.M)
    # the calls to a function, and their histogram, if this machine allows it
    if "demo: the calls of a function cannot be counted" not in text:
        runs = re.search(r"^ +(\d+) +run_cnt ", text, re.M)
        assert runs and int(runs[1]) and "usec scope-time per run, of " in text, text
    assert demo.stdout.rstrip().splitlines()[-1].startswith("demo: shown: "), text
    for event in ("cycles", "instructions"):
        counts = re.findall(rf"^ +(\d+)\.\d{{9}} +(\d+) +{event} ", text, re.M)
        assert [time for time, _ in counts] == ["1", "2", "3"], text
        assert all(int(count) for _, count in counts), text
    assert git("status", "--porcelain", cwd=clone) == ""
