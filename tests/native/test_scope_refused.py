# SPDX-License-Identifier: GPL-2.0-only
"""--scope at instructions that the kernel cannot probe: x86-64 only."""

import platform
import subprocess

import pytest

from native import FAILED, csv_values, run

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="probe: not x86-64")

# locked() is called by the program, and the others are not: not every CPU has their instructions
SOURCE = """
#include <stdlib.h>
int sum;
void f_locked(void), f_plain(void);
#define FUNCTION(name, code) \\
	asm(".globl " #name "\\n.type " #name ", @function\\n" #name ": " code "; ret\\n" \\
	    ".size " #name ", . - " #name)
asm(".text");
FUNCTION(f_plain, "push %rbp; pop %rbp");
FUNCTION(f_locked, "lock addl $1, sum(%rip)");
FUNCTION(f_vpcmpeqb, "vpcmpeqb %xmm0, %xmm0, %xmm0");
FUNCTION(f_vpxor, "vpxor %xmm0, %xmm0, %xmm0");
FUNCTION(f_evex, ".byte 0x62, 0xe2, 0x7d, 0x08, 0x7a, 0xc7");
FUNCTION(f_vcmpps, "vcmpps $0, %xmm0, %xmm0, %xmm0");
FUNCTION(f_vxorps, "vxorps %xmm0, %xmm0, %xmm0");
FUNCTION(f_in, "in %dx, %al");
int main(int argc, char **argv)
{
	int times = atoi(argv[1]);
	for (int i = 0; i < times; i++) {
		f_locked();
		f_plain();
	}
	return sum != times;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    built = tmp_path_factory.mktemp("refused") / "prog"
    subprocess.run(["gcc", "-O1", "-x", "c", "-", "-o", built], input=SOURCE, text=True,
                   check=True)
    return built


def count(program, where):
    return run("-x,", "-e", "run_cnt", "--scope", f"uprobe:{program}:{where}", program, 60)


def runs(done):
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stderr.splitlines() if not line.startswith("pstat: ")]
    return csv_values("\n".join(rows))["run_cnt"]


def test_a_glob_leaves_out_functions_that_cannot_be_probed(program):
    """The kernel can probe f_plain() and f_vxorps()."""
    done = count(program, "f_*")
    assert runs(done) == 60
    assert "6 matching functions are not counted, because the kernel cannot probe" in done.stderr
    assert "f_locked, f_vpcmpeqb, f_vpxor, f_evex, f_vcmpps, ..." in done.stderr
    done = count(program, "f_*d")
    assert done.returncode == FAILED and "all matching functions" in done.stderr


@pytest.mark.parametrize("name", ["f_locked", "f_vpcmpeqb", "f_vpxor", "f_evex", "f_vcmpps",
                                  "f_in"])
def test_a_function_that_cannot_be_probed_is_refused(program, name):
    done = count(program, name)
    assert done.returncode == FAILED
    assert f"'{name}' begins with an instruction that the kernel cannot probe" in done.stderr


def test_the_suggested_points_after_the_instruction_are_counted(program):
    suggested = count(program, "f_locked").stderr.split(f"uprobe:{program}:")[-1].strip()
    assert suggested == "f_locked+8..f_locked%returns"
    assert runs(count(program, suggested)) == 60
