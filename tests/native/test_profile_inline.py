# SPDX-License-Identifier: GPL-2.0-only
"""Inlined functions in pstat profile: a program whose inlined functions are known, in C and in
C++, in all formats."""
import csv
import io
import json
import re
import subprocess

import pytest

from native import CONFLICT, run, workload

# The loops of call-tree are in work(), which is inlined into a, b and c.
TREE = ("-e", "cpu-clock:u", "-c", 100000, "--", *workload("call-tree", "--uneven", 300, 100000,
                                                           600000, 300000))
SHARES = {"a": 10, "b": 60, "c": 30}
pytestmark = pytest.mark.usefixtures("sampling")

SOURCE = """\
volatile unsigned long sum;
PREFIX unsigned long leaf(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += i;
	return sum;
}
PREFIX unsigned long middle(unsigned long n)
{
	return leaf(n) + 1;
}
__attribute__((noinline)) unsigned long outer(unsigned long n)
{
	return middle(n) + 1;
}
int main(void)
{
	for (int i = 0; i < 200; i++)
		outer(1000000);
	return 0;
}
"""
PREFIX = "static inline __attribute__((always_inline))"


def profile(*args, status=0):
    done = run("profile", *args)
    assert done.returncode == status, done.stderr
    return done


def rows_of(kind, *args):
    items = map(json.loads, profile("-j", *args).stdout.splitlines())
    return [item for item in items if item["kind"] == kind]


@pytest.fixture(scope="module", name="program")
def program_in_c(tmp_path_factory):
    program = tmp_path_factory.mktemp("inline") / "inline"
    source = program.with_suffix(".c")
    source.write_text(SOURCE.replace("PREFIX", PREFIX), encoding="ascii")
    subprocess.run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", program, source],
                   check=True)
    return program


def sampled(program):
    return ("-e", "cpu-clock:u", "-c", 100000, "--", program)


def test_samples_belong_to_the_inlined_function_and_to_the_callers():
    symbols = rows_of("symbol", *TREE)
    rows = {row["function"]: row for row in symbols if row["object"].endswith("/call-tree")}
    assert rows["work"]["share"] > 95 and rows["work"]["inlined"] is True, rows
    for name, share in {**SHARES, "a": SHARES["a"] + SHARES["b"]}.items():
        assert rows[name]["total-share"] == pytest.approx(share, abs=4), rows
        assert "inlined" not in rows[name]
    # a sample can also be in a function that runs only once, at the start
    inlined = {name for name, row in rows.items() if row.get("inlined") and row["share"] > 1}
    assert inlined == {"work"}


def test_no_inline_leaves_the_samples_in_the_functions_that_have_the_code():
    symbols = rows_of("symbol", "--no-inline", *TREE)
    shares = {row["function"]: row["share"] for row in symbols}
    assert "work" not in shares and not any("inlined" in row for row in symbols)
    for name, share in SHARES.items():
        assert shares[name] == pytest.approx(share, abs=4), shares


def test_stacks_have_a_frame_for_each_inlined_function(program):
    folded = profile("--folded", *sampled(program)).stdout.splitlines()
    most = max(folded, key=lambda line: int(line.rpartition(" ")[2]))
    assert re.search(r";outer;middle \(inlined\);leaf \(inlined\) \d+$", most), folded
    frames = max(rows_of("stack", "--folded", *sampled(program)),
                 key=lambda row: row["samples"])["frames"][-3:]
    assert [frame["function"] for frame in frames] == ["outer", "middle", "leaf"]
    assert [frame.get("inlined") for frame in frames] == [None, True, True]


def test_the_line_of_an_outer_function_is_the_call(program):
    rows = rows_of("stack", "--folded", "--lines", *sampled(program))
    frames = max(rows, key=lambda row: row["samples"])["frames"][-3:]
    assert [(frame["function"], frame["line"]) for frame in frames[:2]] == [("outer", 14),
                                                                            ("middle", 10)]
    assert frames[2]["line"] in (4, 5) and all(frame["file"].endswith("/inline.c")
                                               for frame in frames)
    table = profile("--lines", *sampled(program)).stdout
    assert re.search(r" leaf \(inlined\) +inline\.c:[45]$", table, re.M), table
    assert re.search(r" outer +inline\.c:14$", table, re.M), table


def test_fields_have_the_mark_in_the_name(program):
    text = profile("-x", ";", *sampled(program)).stdout
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=";") if row[0] == "symbol"]
    names = {row[9] for row in rows}
    assert {"leaf (inlined)", "middle (inlined)", "outer"} <= names and {len(row)
                                                                         for row in rows} == {13}


def test_names_of_cpp_are_demangled(tmp_path):
    program = tmp_path / "inline"
    source = program.with_suffix(".cc")
    prefix = PREFIX.removeprefix("static ")  # static functions have no mangled names
    text = SOURCE.replace("PREFIX", f"namespace deep {{ {prefix}", 1)
    text = text.replace("PREFIX", f"}} using deep::leaf; template <typename T> {prefix}")
    source.write_text(text.replace("middle(unsigned long n)", "middle(T n)"), encoding="ascii")
    subprocess.run(["g++", "-O2", "-g", "-fno-omit-frame-pointer", "-o", program, source],
                   check=True)
    for args, wanted in (((), {"deep::leaf(unsigned long)",
                               "unsigned long middle<unsigned long>(unsigned long)"}),
                         (("--no-demangle",), {"_ZN4deep4leafEm", "_Z6middleImEmT_"})):
        rows = rows_of("symbol", *args, *sampled(program))
        assert {row["function"] for row in rows if row.get("inlined")} >= wanted, rows


def test_a_stack_has_at_most_512_inlined_functions(tmp_path):
    """A recursion of 60 calls, each of them through 20 inlined functions."""
    program = tmp_path / "deep"
    steps = "".join(f"{PREFIX} unsigned long f{i}(unsigned long n) {{ return f{i + 1}(n) + 1; }}\n"
                    for i in reversed(range(19)))
    program.with_suffix(".c").write_text(f"""\
volatile unsigned long sum;
unsigned long level(unsigned long n);
{PREFIX} unsigned long f19(unsigned long n) {{ sum += level(n - 1); return sum; }}
{steps}
__attribute__((noipa)) unsigned long level(unsigned long n)
{{
	if (n)
		return f0(n) + 1;
	for (unsigned long i = 0; i < 50000000; i++)
		sum += i;
	return sum;
}}
int main(void)
{{
	return level(60) == 0;
}}
""", encoding="ascii")
    subprocess.run(["gcc", "-O2", "-g", "-fno-omit-frame-pointer", "-o", program,
                    program.with_suffix(".c")], check=True)
    done = profile("--folded", *sampled(program))
    stacks = [line.rpartition(" ")[0].split(";") for line in done.stdout.splitlines()]
    frames = max(stacks, key=len)
    # the innermost call may have no frame pointer, which hides its caller
    assert frames.count("level") in (60, 61), frames
    assert 490 < sum("(inlined)" in frame for frame in frames) <= 512, frames
    assert frames[-2:] == ["f19 (inlined)", "level"] and "(inlined)" not in frames[3], frames
    assert done.stderr.count("some inlined functions are missing: a stack has more than 512") == 1


def test_no_inline_is_for_stacks():
    done = run("profile", "--no-inline", "-b", 1)
    assert done.returncode == CONFLICT and "--no-inline is for stacks" in done.stderr, done
