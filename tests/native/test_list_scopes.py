# SPDX-License-Identifier: GPL-2.0-only
"""pstat list scopes: the points that it lists for Debian's programs are those that readelf and nm
find."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

import pytest

from native import CONFLICT, FAILED, USAGE, WORKLOADS, run

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


# gcc moves the rare branch to sum_up.cold. It inlines the test of work() into main(), and makes the
# rest the function work.part.0.
PARTS = r"""
#include <stdlib.h>

static long sum;

__attribute__((noinline, cold)) static void rare(long value)
{
	sum += value;
}

__attribute__((noinline)) static long sum_up(long value)
{
	if (__builtin_expect(value > 3, 0)) {
		rare(value);
		rare(sum);
		return sum * 1000;
	}
	return value + 1;
}

static void work(long value)
{
	if (!value)
		return;
	for (long i = 0; i < value; i++)
		sum = sum * 7 + sum_up(i) + atol("1");
	for (long i = 0; i < value; i++)
		sum = sum * 3 + sum_up(i) + atol("2");
}

int main(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		work(atol(argv[i]));
	work(argc);
	work(sum);
	return sum & 1;
}
"""


def functions_of_readelf(path):
    """Returns the names of the symbols of type FUNC that are defined in the file."""
    done = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True)
    return {name.split("@")[0]
            for name in re.findall(r" FUNC +\S+ +\S+ +\d+ (\S+)$", done.stdout, re.M)}


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


def test_code_without_a_return_address_is_not_listed_but_called_parts_are(tmp_path):
    program = tmp_path / "parts"
    subprocess.run(["gcc", "-O2", "-x", "c", "-", "-o", program], input=PARTS, text=True,
                   check=True)
    defined = functions_of_readelf(program)
    assert defined >= {"_start", "sum_up", "sum_up.cold", "work.part.0"}
    found = set()
    for entry in listed(program):
        found |= {entry["Symbol"], *entry.get("Aliases", "").split()}
    assert found == defined - {"_start", "sum_up.cold"}


def test_parts_of_the_c_library_that_are_not_called_are_not_listed(tmp_path):
    program = tmp_path / "static"
    subprocess.run(["gcc", "-O2", "-x", "c", "-", "-static", "-o", program], input=PARTS,
                   text=True, check=True)
    uncalled = re.compile(r"_start|.*\.cold|_*restore_rt|_dl_runtime_(resolve|profile).*")
    defined = functions_of_readelf(program)
    found = {entry["Symbol"] for entry in listed(program)}
    assert {"main", "work.part.0"} <= found
    assert any("resolve" in name for name in defined if uncalled.fullmatch(name))
    assert not [name for name in found if uncalled.fullmatch(name)]


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


def cut_off(path):
    """Removes the last byte, which is the end of the section headers."""
    os.truncate(path, path.stat().st_size - 1)


def enlarge_symbols(path):
    """Makes the symbol table end beyond the end of the file."""
    content = bytearray(path.read_bytes())
    headers, = struct.unpack_from("<Q", content, 40)
    size, number = struct.unpack_from("<HH", content, 58)
    for header in range(headers, headers + size * number, size):
        if struct.unpack_from("<I", content, header + 4)[0] == 2:  # SHT_SYMTAB
            struct.pack_into("<Q", content, header + 32, 24 * len(content))
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [cut_off, enlarge_symbols])
def test_a_truncated_file_is_not_called_stripped(damage, tmp_path):
    copy = tmp_path / "cut"
    shutil.copy(f"{WORKLOADS}/scope-calls", copy)
    subprocess.run(["strip", "--keep-symbol=main", copy], check=True)
    assert [entry["Name"] for entry in listed(copy)] == ["main"]
    damage(copy)
    words = "it is truncated or damaged: its headers describe more bytes than the file contains"
    for done in (run("list", "scopes", copy), run("--scope", f"uprobe:{copy}:main", "true"),
                 run("--scope", f"usdt:{copy}:begin..end", "true")):
        assert words in done.stderr and "stripped" not in done.stderr
        assert done.returncode in (FAILED, USAGE)


def test_a_glob_matches_each_alias_by_itself():
    several = [entry for entry in listed("libc") if entry.get("Aliases", "").count(" ") > 1]
    if not several:
        pytest.skip("probe: pstat list scopes libc: no function has three names")
    for entry in several[:3]:
        middle = entry["Aliases"].split()[1]
        assert entry in listed("libc", middle[:-2] + "??"), middle


def test_a_function_whose_default_version_is_an_ifunc_is_listed_with_its_version():
    """In glibc for x86-64, memcpy@GLIBC_2.2.5 is a function, and the default memcpy an IFUNC."""
    specs = [entry["Scope"] for entry in listed("libc", "memcpy") if entry["Name"] == "memcpy"]
    if not specs:
        pytest.skip("probe: pstat list scopes libc memcpy: no old version of memcpy")
    for spec in specs:
        done = run("-x,", "-e", "run_cnt", "--scope", spec, "true")
        assert done.returncode == 0, done.stderr


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
