# SPDX-License-Identifier: GPL-2.0-only
"""What make does besides building."""
import os
import pathlib
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def make(*args, **more):
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    environment.update(more)
    out = environment.pop("O", "")
    return subprocess.run(["make", "-s", *([f"O={out}"] if out else []), *args], cwd=TOP, env=environment,
                          capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    done = make("install", f"DESTDIR={root}", "prefix=/usr")
    assert done.returncode == 0, done.stderr
    return root


def test_install_puts_the_command_the_link_the_manual_and_the_completion_under_the_prefix(installed):
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if not path.is_dir()}
    assert {"usr/bin/pstat", "usr/bin/perf-pstat", "usr/share/man/man1/pstat.1", "usr/share/man/man1/pstat-stat.1",
            "usr/share/bash-completion/completions/pstat"} <= files
    assert os.readlink(installed / "usr/bin/perf-pstat") == "pstat"


def test_the_installed_command_is_a_subcommand_of_perf(installed):
    if not shutil.which("perf"):
        pytest.skip("perf is not in PATH, whose subcommand it would be")
    path = f"{installed}/usr/bin:{os.environ['PATH']}"
    done = subprocess.run(["perf", "pstat", "--version"], env=dict(os.environ, PATH=path), capture_output=True, text=True,
                          check=False)
    assert done.stdout.startswith("pstat ") and done.returncode == 0, done.stderr


@pytest.mark.parametrize("variable, package", [("PKG_CONFIG", "pkg-config"), ("CLANG", "clang"), ("BPFTOOL", "bpftool")])
def test_a_tool_that_is_missing_is_named_with_its_package_in_one_line(variable, package):
    done = make("all", f"{variable}=no-such-tool")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no-such-tool is missing" in done.stderr and f"package {package}," in done.stderr


def test_a_library_that_is_missing_is_named_with_its_package_in_one_line():
    done = make("all", PKG_CONFIG_LIBDIR="/nonexistent")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "libbpf is missing: install Debian's package libbpf-dev" in done.stderr


def test_deps_does_nothing_where_nothing_is_missing():
    done = make("deps")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_another_build_folder_leaves_the_source_tree_as_it_was(tmp_path):
    if not (TOP / ".git").exists():
        pytest.skip(f"{TOP} is no git checkout, which would say what changed")
    before = subprocess.run(["git", "status", "--porcelain", "--ignored"], cwd=TOP, capture_output=True, text=True, check=True)
    done = make("all", "-j2", O=f"{tmp_path}/out")
    after = subprocess.run(["git", "status", "--porcelain", "--ignored"], cwd=TOP, capture_output=True, text=True, check=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/pstat").exists()
    assert before.stdout == after.stdout
