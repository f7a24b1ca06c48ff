# SPDX-License-Identifier: GPL-2.0-only
"""pstat -b on programs that throw exceptions. The program is counted. Functions that an exception
can leave are refused, because the kernel would crash in the next run."""
import re

import pytest

from csv_rows import series
from guest import guest

RUNS = 7
COMMAND = f"""
mkfifo in
bpf-types throw <in >out & its=$!
exec 3>in
while ! [ -s out ]; do kill -0 $its || exit 1; usleep 10000; done
id=$(head -n 1 out)
count() {{ pstat -x, -b $1 -e run_cnt -- sh -c 'echo {RUNS} >&3; usleep 300000'; echo status $?; }}
for what in $id $id:of_throw name:of_throw $id:harmless; do count $what; done
for what in $id:throws $id:calls $id,$id:calls; do pstat -b $what -e run_cnt -- true
echo status $?; done
sysctl -qw kernel.kptr_restrict=2
pstat -b $id:harmless -e run_cnt -- true; echo status $?
count $id
exec 3>&-
wait $its; echo ended $?
"""


@pytest.fixture(scope="module", params=["x86_64", "aarch64"])
def text(request):
    return guest(COMMAND, arch=request.param, kernel="6.12", icount=True).stdout


def test_a_program_that_throws_is_counted_and_so_is_a_function_that_no_exception_leaves(text):
    # including the run in which addresses are hidden
    assert [row.value for row in series(text, "run_cnt")] == 5 * [RUNS], text
    assert text.count("status 0\n") == 5 and text.endswith("ended 0\n"), text


def test_a_function_that_an_exception_leaves_is_refused_and_nothing_is_attached(text):
    for func, number in (("throws", 1), ("calls", 2)):
        found = re.findall(
            rf"^pstat: -b \d+:{func} \(of_throw:{func}\): {func} calls "
            r"bpf_throw\(\), directly or through another function, ", text, re.M)
        assert len(found) == number, text
    assert re.search(r"^ +count the whole program: -b \d+$", text, re.M), text


def test_functions_are_refused_where_the_kernel_hides_what_they_call(text):
    assert "of_throw:harmless): the kernel hides what the program calls" in text, text
    assert text.count("status 255") == 4, text
