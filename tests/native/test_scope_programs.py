# SPDX-License-Identifier: GPL-2.0-only
"""--scope with programs and libraries of Debian: the number of runs must be the number of calls
that the program made. Other processes use the same files, so each test makes a copy."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

from native import IN_C, PSTAT, workload


def count(scope, *command, library_path=""):
    """Returns the number of runs, including those that were lost because this kernel did not report
    a context switch, and what the command wrote."""
    env = {**os.environ, **IN_C, "PYTHONHOME": "/usr", "LD_LIBRARY_PATH": str(library_path)}
    done = subprocess.run([PSTAT, "-x,", "-e", "run_cnt", "--scope", scope, "--", *command],
                          capture_output=True, text=True, check=False, env=env, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stderr.splitlines() if ",run_cnt," in line]
    assert len(rows) == 1, done.stderr
    unseen = re.search(r"(\d+) because the kernel did not report a context switch", done.stderr)
    return int(rows[0][0]) + (int(unseen[1]) if unseen else 0), done.stdout


def copy_library(folder, name):
    """Copies the library that the loader would use, under its name."""
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    found = re.search(rf"^\s*({re.escape(name)}\.so\.\d+) .*(?:x86-64|AArch64).* => (.*)$",
                      cache.stdout, re.M)
    if not found:
        pytest.skip(f"probe: the loader's cache has no {name}")
    shutil.copy(found[2], folder / found[1])
    return folder


@pytest.fixture
def python(tmp_path):
    """Returns a copy of Python's executable that runs a script."""
    copy = tmp_path / "python"
    shutil.copy(pathlib.Path("/usr/bin/python3").resolve(), copy)

    def command(text):
        script = tmp_path / "script.py"
        script.write_text(text)
        return [copy, "-S", script]

    return command


def test_a_library_that_is_named_as_the_loader_finds_it_is_counted(tmp_path, python):
    """zlib.crc32() of a string calls crc32() once."""
    copy_library(tmp_path, "libz")
    command = python("import zlib\nfor i in range(321): zlib.crc32(b'x' * 1000)\n")
    assert count("uprobe:libz:crc32", *command, library_path=tmp_path)[0] == 321


def test_a_function_of_libcrypto_is_counted(tmp_path, python):
    copy_library(tmp_path, "libcrypto")
    command = python("import _hashlib\nh = _hashlib.openssl_sha256()\n"
                     "for i in range(1000): h.update(b'x' * 64)\n")
    assert count("uprobe:libcrypto:EVP_DigestUpdate", *command, library_path=tmp_path)[0] == 1000


def test_usdt_points_of_python_are_counted_although_their_semaphores_must_be_raised(python):
    """The interpreter also collects garbage when it ends, so two counts are compared."""
    counts = []
    for times in (50, 250):
        command = python(f"import gc\ngc.disable()\nfor i in range({times}): gc.collect()\n")
        counts.append(count(f"usdt:{command[0]}:gc__start..gc__done", *command)[0])
    assert counts[1] - counts[0] == 200


def test_usdt_points_of_the_cplusplus_library_are_counted(tmp_path):
    if not shutil.which("g++"):
        pytest.skip("probe: g++ is not installed")
    copy_library(tmp_path, "libstdc++")
    source, program = tmp_path / "throw.cpp", tmp_path / "throw"
    source.write_text("int main() { int n = 0; for (int i = 1; i < 124; i++)"
                      " try { throw i; } catch (int x) { n += x; } return n == 0; }\n")
    subprocess.run(["g++", source, "-o", program], check=True)
    assert count("usdt:libstdc++:throw..catch", program, library_path=tmp_path)[0] == 123
    assert count("uprobe:libstdc++:__cxa_begin_catch", program, library_path=tmp_path)[0] == 123


TEMPLATES = """
template <typename T> __attribute__((noinline)) void f(T x) { asm volatile("" :: "r"(x)); }
namespace deep {
template <typename T> __attribute__((noinline)) unsigned long g(T x)
{
    asm volatile("" : "+r"(x));
    return x;
}
}
struct A {
    __attribute__((noinline)) operator bool() const { asm volatile(""); return true; }
};
int main()
{
    unsigned long n = 0;
    for (int i = 0; i < 123; i++) {
        f(i);
        n += deep::g(i) + bool(A());
    }
    return n == 0;
}
"""


@pytest.mark.parametrize("name", [
    "void f<int>(int)", "f<int>(int)", "unsigned long deep::g<int>(int)", "deep::g<int>(int)",
    "A::operator bool() const"
])
def test_a_template_function_is_found_with_and_without_its_return_type(tmp_path, name):
    """Mangled names of templates contain the return type, and so do the names that pstat prints."""
    if not shutil.which("g++"):
        pytest.skip("probe: g++ is not installed")
    source, program = tmp_path / "templates.cpp", tmp_path / "templates"
    source.write_text(TEMPLATES)
    subprocess.run(["g++", "-O1", source, "-o", program], check=True)
    assert count(f"uprobe:{program}:{name}", program)[0] == 123


def test_a_point_with_two_places_and_a_semaphore_is_counted():
    path, *words = workload("scope-usdt", 500, 10)
    # The program prints in how many requests the semaphores were raised.
    assert count(f"usdt:{path}:begin..end", path, *words) == (500, "500\n")
    assert count(f"usdt:{path}:plain..plain", path, *words)[1] == "0\n"


def test_return_instructions_end_a_run_as_a_return_probe_does():
    path, *words = workload("scope-usdt", 500, 10)
    assert count(f"uprobe:{path}:handle..handle%returns", path, *words)[0] == 500
    assert count(f"uprobe:{path}:handle", path, *words)[0] == 500


GO_TABLE = """
#include <stdlib.h>
/* The table of Go's runtime: its header, the functions, their descriptions and names. */
asm(".section .gopclntab, \\"a\\"; table: .long 0xfffffff1; .byte 0, 0, 1, 8\\n"
    ".quad 2, 0, text, names - table, 0, 0, 0, functions - table\\n"
    "functions: .long work - text, work_info - functions, idle - text, idle_info - functions\\n"
    ".long end - text\\n"
    "work_info: .long work - text, work_name - names\\n"
    "idle_info: .long idle - text, idle_name - names\\n"
    "names: .byte 0; work_name: .asciz \\"main.(*Job).work\\"\\n"
    "idle_name: .asciz \\"main.idle\\"; .text; text: nop; work: nop; ret; idle: nop; ret\\n"
    "end: nop");
void work(void) asm("work");
void idle(void) asm("idle");
int main(int argc, char **argv)
{
	for (int i = atoi(argv[1]); i--; idle())
		work();
	return argc != 2;
}
"""


def test_functions_of_a_stripped_go_program_are_counted_between_two_points(tmp_path):
    """pstat refuses the return probe. The points that its message proposes are counted. Go's
    compiler need not be installed: the program only has Go's table."""
    program = tmp_path / "go"
    (tmp_path / "go.c").write_text(GO_TABLE)
    subprocess.run(["gcc", "-no-pie", "-s", tmp_path / "go.c", "-o", program], check=True)
    for name in ("main.(*Job).work", "main.idle"):
        refused = subprocess.run([PSTAT, "--scope", f"uprobe:{program}:{name}", "true"],
                                 capture_output=True, text=True, check=False)
        assert "is a Go program" in refused.stderr
        offered = refused.stderr.split("return instructions: ")[1].strip()
        assert offered == f"uprobe:{program}:{name}..{name}%returns"
        assert count(offered, program, "345")[0] == 345
    unknown = subprocess.run([PSTAT, "--scope", f"uprobe:{program}:main.wrok", "true"],
                             capture_output=True, text=True, check=False)
    assert "has no function 'main.wrok'" in unknown.stderr and "Go" not in unknown.stderr


def test_the_number_of_calls_is_that_of_bpftrace_in_the_same_run(tmp_path, python):
    """deflate() is called more than once for a block that cannot be compressed."""
    if not shutil.which("bpftrace"):
        pytest.skip("probe: bpftrace is not installed")
    copy_library(tmp_path, "libz")
    library = next(tmp_path.glob("libz.so.*"))
    command = python("import os, zlib\nfor i in range(200):\n"
                     "    zlib.compress(os.urandom(1000 * i))\n")
    script = "uprobe:" + str(library) + ":deflate { @++; } END { printf(\"calls %d\\n\", @); }"
    # bpftrace and pstat themselves use another copy of the library.
    traced = " ".join(map(str, ["/usr/bin/env", f"LD_LIBRARY_PATH={tmp_path}", *command]))
    runs, said = count(f"uprobe:{library}:deflate", "bpftrace", "-c", traced, "-e", script)
    found = re.search(r"^calls (\d+)$", said, re.M)
    assert found and int(found[1]) > 200, said
    assert runs == int(found[1])
