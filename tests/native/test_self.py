# SPDX-License-Identifier: GPL-2.0-only
"""libpstat-self in other programs: its header, its symbols, its libraries, and its errors if it
cannot count."""
import os
import pathlib
import re
import subprocess

import pytest

from native import BUILD, TOP, workload

pytestmark = pytest.mark.usefixtures("own_pins")
HEADER = TOP / "include/pstat-self.h"
EXAMPLE = TOP / "examples/count-self.c"
CALLS = {
    "pstat_self_open", "pstat_self_read", "pstat_self_close", "pstat_self_error",
    "pstat_self_version"
}


def run(*args, **more):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, check=False,
                          **more)


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("standard", ["old", "new"])
def test_the_header_compiles_alone(language, standard):
    which = {"c": {"old": "c99", "new": "c17"}, "c++": {"old": "c++98",
                                                        "new": "c++17"}}[language][standard]
    done = run("clang", "-x", language, f"-std={which}", "-pedantic-errors", "-Wno-long-long",
               "-Wall", "-Wextra", "-Werror", "-fsyntax-only", HEADER)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_archive_exports_only_its_own_names():
    done = run("nm", "--extern-only", "--defined-only", BUILD / "libpstat-self.a")
    names = {line.split()[-1] for line in done.stdout.splitlines() if len(line.split()) == 3}
    assert names == CALLS, done.stderr
    declared = set(
        re.findall(
            r"\b(pstat_self_\w+)\(",
            HEADER.read_text(encoding="utf-8").split("#ifdef __cplusplus")[1],
        )
    )
    assert declared == CALLS


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    root = tmp_path_factory.mktemp("self")
    environment = {
        name: value for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    done = run("make", "-s", "install", f"prefix={root}", cwd=TOP, env=environment)
    assert done.returncode == 0, done.stderr
    return root


def test_the_library_is_installed_with_its_manual(installed):
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if not path.is_dir()}
    assert {
        "include/pstat-self.h", "lib/libpstat-self.a", "lib/pkgconfig/pstat-self.pc",
        "share/man/man3/pstat-self.3"
    } <= files
    assert "share/man/man1/pstat-self.3" not in files


@pytest.fixture(scope="module")
def example(installed):
    """Builds the example as its comment describes, with only the installed files."""
    if os.environ.get("SANITIZE"):
        pytest.skip("probe: SANITIZE is set, and the library then needs a sanitizer's")
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{installed}/lib/pkgconfig"}
    flags = run("pkg-config", "--cflags", "--libs", "pstat-self", env=environment)
    assert flags.returncode == 0, flags.stderr
    program = pathlib.Path(installed) / "count-self"
    done = run("cc", "-Wall", "-Wextra", "-Werror", EXAMPLE, *flags.stdout.split(), "-o", program,
               cwd=installed)
    assert done.returncode == 0, done.stderr
    return program


def test_a_program_outside_of_the_tree_counts_or_prints_why_it_cannot(example):
    done = run(example, "task-clock")
    if done.returncode == 0:
        assert int(re.fullmatch(r"(\d+) task-clock\n", done.stdout)[1]) > 100000
        return
    assert done.returncode == 1 and done.stdout == ""
    assert re.match(
        r"count-self: task-clock: cannot be counted for single threads: (this "
        r"(kernel|user) |.*\(\w+:? )",
        done.stderr,
    ), done.stderr


def test_invalid_events_are_refused_without_asking_the_kernel():
    for event, words in {"instrctions": "error -22\nevent syntax error: 'instrctions'",
                         "cycles,instructions": "error -22\ncycles,instructions: names 2 events",
                         "user_time": "error -95\nuser_time: it is not a perf event"}.items():
        done = run(*workload("self-count", "cost", event, 1))
        assert done.returncode == 1 and done.stdout.startswith(words), done.stdout
        assert done.stderr == "", "the library must print nothing"


def test_a_process_without_a_free_thread_key_gets_an_error():
    done = run(*workload("self-handles", "no-keys", "task-clock"))
    assert done.returncode == 1 and done.stdout.startswith(
        "error -11\nall 1024 keys for thread-specific data are taken"), done.stdout
