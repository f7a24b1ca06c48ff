# SPDX-License-Identifier: GPL-2.0-only
"""pstat list scopes: the points that it lists for Debian's programs are those that readelf and nm
find."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from native import CONFLICT, USAGE, WORKLOADS, run

LIBRARIES = ["libz", "libc", "libstdc++", "libcrypto"]


def listed(*args):
    done = run("list", "scopes", "-j", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def path_of(library):
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    found = re.search(rf"^\s*{re.escape(library)}\.so\.\d+ .*(?:x86-64|AArch64).* => (.*)$",
                      cache.stdout, re.M)
    if not found:
        pytest.skip(f"probe: the loader's cache has no {library}")
    return found[1]


def functions_of_nm(path):
    """Returns the functions that other files can call, as {address: names}, except those that the
    loader selects (type i in nm)."""
    done = subprocess.run(["nm", "-D", "--defined-only", "--without-symbol-versions", path],
                          capture_output=True, text=True, check=True)
    functions, selected = {}, set()
    for line in done.stdout.splitlines():
        address, kind, name = line.split()
        if kind == "i":
            selected.add(int(address, 16))
        elif kind in "TW":
            functions.setdefault(int(address, 16), set()).add(name)
    return {address: names for address, names in functions.items() if address not in selected}


def points_of_readelf(path):
    """Returns USDT points as {(provider, name): addresses of its places}."""
    notes = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True)
    points = {}
    for provider, name, address, semaphore in re.findall(
            r"Provider: (\S+)\s+Name: (\S+)\s+Location: (\S+), Base: \S+, Semaphore: (\S+)",
            notes.stdout):
        point = points.setdefault((provider, name), {"addresses": [], "semaphore": False})
        point["addresses"].append(int(address, 16))
        point["semaphore"] |= int(semaphore, 16) != 0
    return points


def expect_the_points_of_readelf(path):
    wanted = points_of_readelf(path)
    found = {(entry["Provider"], entry["Name"]): entry for entry in listed(path)
             if entry["Type"] == "USDT point"}
    assert found.keys() == wanted.keys()
    for key, point in wanted.items():
        assert found[key]["Places"] == len(point["addresses"])
        assert int(found[key]["Address"], 16) == min(point["addresses"])
        assert found[key]["Semaphore"] == point["semaphore"]
    return wanted


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_functions_of_a_library_are_those_of_nm(library):
    wanted = functions_of_nm(path_of(library))
    found = {}
    for entry in listed(library):
        if entry["Type"] == "Function":
            names = {entry["Symbol"], *entry.get("Aliases", "").split()}
            found[int(entry["Address"], 16)] = {name.split("@")[0] for name in names}
    assert wanted
    for address, names in wanted.items():
        assert names <= found.get(address, set()), hex(address)


def test_the_usdt_points_of_python_and_cplusplus_are_those_of_readelf():
    assert ("python", "gc__start") in expect_the_points_of_readelf("/usr/bin/python3")
    assert ("libstdcxx", "throw") in expect_the_points_of_readelf(path_of("libstdc++"))


def test_the_usdt_points_of_postgresql_are_those_of_readelf():
    found = sorted(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")))
    if not found:
        pytest.skip("probe: PostgreSQL is not installed")
    assert ("postgresql", "query__start") in expect_the_points_of_readelf(found[-1])


def test_places_and_semaphores_of_a_workload_are_listed():
    path = f"{WORKLOADS}/scope-usdt"
    expect_the_points_of_readelf(path)
    begin = listed(path, "begin")[0]
    assert begin["Scope"] == f"usdt:{path}:pstat_test:begin"
    assert (begin["Places"], begin["Semaphore"]) == (2, True)
    assert not listed(path, "plain")[0]["Semaphore"]
    text = run("list", "scopes", path, "begin").stdout
    assert re.fullmatch(rf"  usdt:{re.escape(path)}:pstat_test:begin +"
                        r"\[USDT point, 2 places, semaphore\]\n", text)


def test_a_stripped_program_keeps_its_usdt_points(tmp_path):
    stripped = tmp_path / "stripped"
    shutil.copy(f"{WORKLOADS}/scope-usdt", stripped)
    subprocess.run(["strip", "--strip-all", stripped], check=True)
    # The notes remain in a stripped program.
    assert {entry["Name"] for entry in listed(str(stripped))} == {"plain", "begin", "end"}
    subprocess.run(["objcopy", "--remove-section=.note.stapsdt", stripped], check=True)
    done = run("list", "scopes", stripped)
    assert done.returncode == USAGE
    assert "it is stripped, its debug file is not installed" in done.stderr


def test_globs_select_by_all_names():
    assert {entry["Name"] for entry in listed("libz", "deflate")} >= {"deflate", "deflateInit_"}
    assert [entry["Name"] for entry in listed("libz", "deflateend")] == ["deflateEnd"]
    done = run("list", "scopes", "libz", "nosuch*")
    assert done.returncode == 0 and not done.stdout
    assert "libz has no function and no USDT point that matches nosuch*" in done.stderr
    assert run("list", "scopes", "--raw-dump", "libz", "deflateEnd").stdout == (
        "uprobe:libz:deflateEnd\n")


@pytest.mark.parametrize("words, code, message", [
    ([], USAGE, "the file is missing"),
    (["/nonexistent"], USAGE, "there is no file '/nonexistent'"),
    (["no-such-file"], USAGE, "there is no library and no command 'no-such-file'"),
    ([__file__], USAGE, "it is not an ELF file"),
    (["/dev/null"], USAGE, "it is not an ELF file"),
    (["/"], USAGE, "it is not an ELF file"),
    (["--check", sys.executable], CONFLICT, "scopes and --check cannot be combined"),
])
def test_errors_name_the_file(words, code, message):
    done = run("list", "scopes", *words)
    assert done.returncode == code
    assert message in done.stderr
