# SPDX-License-Identifier: GPL-2.0-only
"""--scope at functions whose return address cannot be replaced. The program must behave as it does
without pstat."""

import re
import shutil
import subprocess

import pytest

from native import FAILED, USAGE, run

PROGRAM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <ucontext.h>

static jmp_buf there;
static ucontext_t context;
static long sum;

__attribute__((noinline, cold)) static void rare(const long *values)
{
	for (int i = 0; i < 4; i++)
		sum += values[i];
}

/* gcc moves the rare branch to sum_up.cold, whose stack begins with `values` */
__attribute__((noinline)) static long sum_up(long first)
{
	long values[4];

	for (int i = 0; i < 4; i++)
		values[i] = first + i;
	if (__builtin_expect(first > 3, 0)) {
		rare(values);
		rare(values);
		return values[0] * 1000;
	}
	return values[1];
}

int main(int argc, char **argv)
{
	volatile int jumps = 0, contexts = 0;
	void *libc = dlsym(RTLD_NEXT, "puts");

	for (int i = 0; i < 6; i++)
		sum += sum_up(i);
	if (setjmp(there) < 3) {
		jumps++;
		longjmp(there, jumps);
	}
	getcontext(&context);
	if (contexts++ < 3)
		setcontext(&context);
	printf("%d %s %ld %d %d %s\n", argc, argv[1], sum, jumps, contexts,
	       libc ? "found" : "missing");
	return 0;
}
"""
SAID = "3 two 9106 3 4 found\n"

THROWS = """
#include <cstdio>
#include <stdexcept>

__attribute__((noinline)) int half(int i)
{
	if (i % 2)
		throw std::runtime_error("odd");
	return i / 2;
}

int main()
{
	int sum = 0;

	for (int i = 0; i < 10; i++) {
		try {
			sum += half(i);
		} catch (std::exception &) {
			sum += 100;
		}
	}
	std::printf("%d\\n", sum);
	return 0;
}
"""


def build(folder, compiler, source, *options):
    built = folder / "prog"
    language = "c++" if compiler == "g++" else "c"
    subprocess.run([compiler, "-O2", "-x", language, "-", "-o", built, *options], input=source,
                   text=True, check=True)
    return built


@pytest.fixture(scope="module", params=[["-Wl,-z,lazy"], ["-static"]], ids=["lazy", "static"])
def program(request, tmp_path_factory):
    """Returns a program that contains its libraries, or one that uses copies of them and of the
    loader. Also returns the path of its C library."""
    folder = tmp_path_factory.mktemp("damage")
    if request.param == ["-static"]:
        return build(folder, "gcc", PROGRAM.replace('dlsym(RTLD_NEXT, "puts")', "&there"),
                     "-static", "-fno-builtin"), folder / "prog"
    loader = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True)
    words = loader.stdout.split()
    shutil.copy(next(word for word in words if word.startswith("/lib") and "ld-linux" in word),
                folder / "ld.so")
    shutil.copy(next(word for word in words if "libc.so.6" in word and "/" in word),
                folder / "libc.so.6")
    return build(folder, "gcc", PROGRAM, *request.param, "-fno-builtin",
                 f"-Wl,--dynamic-linker={folder}/ld.so,-rpath={folder}"), folder / "libc.so.6"


def count(scopes, command):
    options = [word for scope in scopes for word in ("--scope", scope)]
    return run("-x,", "-e", "run_cnt", *options, *command)


def runs(done):
    """Returns the number of runs, including those lost because this kernel does not report every
    context switch."""
    counted = re.search(r"^(\d+),,run_cnt,", done.stderr, re.M)
    unseen = re.search(r"(\d+) because the kernel did not report a context switch", done.stderr)
    return int(counted[1]) + (int(unseen[1]) if unseen else 0)


def test_a_program_whose_functions_are_all_counted_is_unharmed(program):
    """The pattern also matches _start, sum_up.cold, setjmp and others."""
    binary, libc = program
    scopes = [f"uprobe:{binary}:*"]
    if libc != binary:
        scopes.append(f"uprobe:{libc}:*[jmpecontextdlsym]")
        scopes.append(f"uprobe:{libc.parent}/ld.so:*")
    done = count(scopes, [binary, "two", "three"])
    assert (done.returncode, done.stdout) == (0, SAID), done.stderr
    assert "not counted, because a return probe there would damage the program: " in done.stderr


@pytest.mark.parametrize("name, reason", [
    ("_start", "the stack contains no return address there"),
    ("sum_up.cold", "it is a part of a function that jumps to it"),
    ("_setjmp", "it stores its return address"),
    ("getcontext", "it stores its return address"),
])
@pytest.mark.parametrize("option, suffix", [("--scope", ""), ("--stop", "%return")])
def test_functions_whose_return_address_must_stay_are_refused(program, name, reason, option,
                                                              suffix):
    binary, libc = program
    file = binary if name in ("_start", "sum_up.cold") else libc
    done = run("-e", "task-clock", option, f"uprobe:{file}:{name}{suffix}", binary)
    assert done.returncode == FAILED and done.stdout == ""
    assert f"a return probe at '{name}' would damage the program: " in done.stderr
    assert reason in done.stderr


def test_a_function_that_looks_for_its_caller_is_refused():
    done = count(["uprobe:libc:dlsym"], ["true"])
    assert done.returncode == FAILED
    assert "it finds out by its return address who called it" in done.stderr


def test_the_offered_points_can_be_used_as_they_are(program, tmp_path):
    """The path needs backslashes."""
    copy = tmp_path / "lib:c..d"
    shutil.copy(program[1], copy)
    path = str(copy).replace(":", r"\:").replace("..", r"\.\.")
    refused = count([f"uprobe:{path}:getcontext"], ["true"])
    offered = refused.stderr.split("return instructions: ")[1].strip()
    assert offered == f"uprobe:{path}:getcontext..getcontext%returns"
    assert count([offered], ["true"]).returncode == 0
    refused = run("-e", "cs", "--start", f"uprobe:{path}:getcontext%return", "true")
    offered = refused.stderr.split("return instructions: ")[1].strip()
    assert offered == f"uprobe:{path}:getcontext%returns"
    assert run("-e", "cs", "--start", offered, "true").returncode == 0


def test_the_entry_of_these_functions_is_counted(program):
    binary, _ = program
    done = count([f"uprobe:{binary}:_start..main"], [binary, "two", "three"])
    assert (done.returncode, done.stdout) == (0, SAID)
    assert runs(done) == 1


def test_a_return_in_the_middle_of_a_function_is_refused(program):
    binary, _ = program
    done = count([f"uprobe:{binary}:main..main+4%return"], [binary, "two", "three"])
    assert done.returncode == USAGE
    assert "a return belongs to a function: remove the offset" in done.stderr


def test_exceptions_are_warned_of_and_pass_functions_with_probed_return_instructions(tmp_path):
    binary = build(tmp_path, "g++", THROWS)
    warned = count([f"uprobe:{binary}:half", f"uprobe:{binary}:main"], ["true"])
    assert warned.returncode == 0
    assert warned.stderr.count("if an exception passes through a counted function, the prog") == 1
    done = count([f"uprobe:{binary}:half..half%returns"], [binary])
    assert (done.returncode, done.stdout) == (0, "510\n")
    assert runs(done) == 5 and "exception passes" not in done.stderr


def test_a_glob_without_colons_matches_names_as_in_the_source(tmp_path):
    """The symbol begins with _Z."""
    binary = build(tmp_path, "g++", THROWS)
    done = count([f"uprobe:{binary}:hal*..hal*%returns"], [binary])
    assert (done.returncode, done.stdout) == (0, "510\n")
    assert runs(done) == 5


def test_of_a_glob_only_functions_with_return_instructions_end_runs(tmp_path):
    """_start never returns. The functions that throw return, too."""
    binary = build(tmp_path, "g++", THROWS)
    done = count([f"uprobe:{binary}:hal*..*%returns"], [binary])
    assert (done.returncode, done.stdout) == (0, "510\n")
    assert "because their return instructions cannot be found: " in done.stderr
    done = count([f"uprobe:{binary}:half..[_]start%returns"], [binary])
    assert done.returncode == FAILED and "return instructions cannot be found" in done.stderr


@pytest.mark.parametrize("name", ["__cxa_throw", "std::__throw_length_error"])
def test_functions_that_throw_are_refused(tmp_path, name):
    binary = build(tmp_path, "g++", THROWS, "-static")
    done = count([f"uprobe:{binary}:{name}"], ["true"])
    assert done.returncode == FAILED
    assert "it follows the return addresses on the stack" in done.stderr
    done = count([f"uprobe:{binary}:uw_*", f"uprobe:{binary}:__cxa_*"], [binary])
    assert (done.returncode, done.stdout) == (0, "510\n"), done.stderr
    assert "damage the program: uw_init_context_1\n" in done.stderr


def test_c_programs_are_not_warned_of_exceptions(program):
    done = count([f"uprobe:{program[0]}:sum_up"], ["true"])
    assert done.returncode == 0 and "exception" not in done.stderr
