#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Programs and scripts that run `perf stat` and parse its output. Each entry has a command line of
the form that the program uses, and a parser that searches the output as the program does. The bytes
that parsers search for must never change. All command lines run on an imitated machine, where
hardware events have fixed counts. The results are compared with the results for perf 6.12:

    PERF=/path/to/perf tests/native/wrappers.py    writes golden/native/wrappers.json

    PERF=… tests/native/wrappers.py NAME    prints the result of one parser, and the output"""

import csv
import dataclasses
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import typing

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

GOLDEN = TOP / "tests/golden/native/wrappers.json"
MACHINE = "icelake"


@dataclasses.dataclass
class Printed:
    """The result of the shell that ran a wrapper's command lines."""
    out: str
    err: str
    folder: pathlib.Path
    code: int

    def file(self, name):
        return (self.folder / name).read_text(encoding="utf-8")


class Wrapper(typing.NamedTuple):
    name: str
    script: str  # for /bin/sh, with perf in PATH
    parse: typing.Callable[[Printed], object]


def first_interval(rows):
    """Returns the rows (time, …) of the first interval, without the time."""
    return [row[1:] for row in rows if row[0] == rows[0][0]]


# ---- parsers ----

def lkp(printed):
    """Lines with a time and enough fields; sums by event, also for each socket."""
    rows, sums = [], {}
    for line in printed.out.splitlines():
        if not re.match(r"\s*\d+\.\d+\W+", line):
            continue
        stamp, *fields = line.split(",")
        if len(fields) >= 7:
            rows.append([float(stamp), *fields])
    for fields in first_interval(rows):
        socket = fields[0] if fields[0].startswith("S") else None
        value, _unit, key = fields[2:5] if socket else fields[:3]
        for name in filter(None, (key, socket and f"{socket}.{key}")):
            sums[name] = sums.get(name, 0) + (0 if value.startswith("<") else float(value))
    return sums


def lkp_energy(printed):
    """A line "NUMBER Joules power/NAME/" of CSV with spaces."""
    return dict(reversed(re.match(r"(\d+.\d+) Joules power/(.*)/", line).groups())
                for line in printed.out.splitlines())


def lkp_version(printed):
    """awk: takes the third word of the version, whose first two numbers form one number."""
    version = printed.out.split()[2].split(".")
    return int(version[0]) * 100 + int(version[1])


def toplev(printed):
    """Splits lines at semicolons, and ignores empty fields and the units Joules and ns. The
    position of the event depends on the number of fields before it: a CPU, or a core and its number
    of CPUs."""
    def is_event(words, at):
        return len(words) > at and re.match(r"[a-z{(]", words[at]) is not None

    counts, stamp = {}, None
    for line in printed.out.splitlines():
        interval = re.match(r" *(\d+\.\d{9});", line)
        if interval:
            stamp = stamp or interval[1]
            if interval[1] != stamp:
                break
            line = line[interval.end():]
        words = [word for word in line.split(";") if word not in ("", "Joules", "ns")]
        for at in (1, 3, 2):
            if is_event(words, at):
                break
        else:
            raise AssertionError(f"unparseable perf output {line}")
        title = words[0].replace("CPU", "") if at > 1 else ""
        event = re.sub(r" \[.*\]", "", words[at])
        assert re.match(r"[0-9.,]+$|<not", words[at - 1]), line
        counts.setdefault(title, []).append([event, words[at - 1], words[at + 2]])
    return counts


def rustc_perf(printed):
    """Fields between semicolons; panics unless the percentage of time in which an event was counted
    begins with "100."."""
    found = {}
    for line in printed.out.splitlines():
        fields = [field.strip() for field in line.split(";")]
        if fields[0] in ("", "<not supported>", "<not counted>"):
            continue
        assert fields[4].startswith("100."), line
        found[fields[2]] = float(fields[0])
    return found


def jmh_norm(printed):
    """Lines of stderr with four fields or more: time, a number as count, something, event."""
    rows = []
    for line in printed.err.splitlines():
        fields = line.split(",")
        if line.startswith("#") or len(fields) < 4 or not fields[1][0].isdigit():
            continue
        rows.append([float(fields[0]), fields[3].strip(), int(float(fields[1]))])
    return dict(first_interval(rows))


def jmh_perf(printed):
    """The default report after its heading: numbers in front of cycles and instructions."""
    report = printed.err.partition("Performance counter stats")[2]
    found = {}
    for left in (line.partition("#")[0].strip() for line in report.splitlines() if "#" in line):
        for event in ("cycles", "instructions"):
            if f" {event}" in left:
                found[event] = int(left.split()[0].replace(",", ""))
    return found


def jmh_sense(printed):
    """The event and <not supported> on one line mean that the machine does not have it."""
    lines = printed.err.splitlines()
    return {event: not any(event in line and "<not supported>" in line for line in lines)
            for event in ("cycles", "mem:0x404040/9:w", "instructions")}


def json_lines(printed):
    """blkhash: each line of stderr is an object; both values must be there and be numbers."""
    found = {}
    for line in printed.err.splitlines():
        row = json.loads(line)
        if row["counter-value"] not in ("<not supported>", "<not counted>"):
            found[row["event"]] = [float(row["counter-value"]), row["unit"]]
            float(row["metric-value"])
    return found


def perfspect(printed):
    """Checks the types of fields. A line that does not match ends the program, and so does a number
    where a string is expected. A name with two slashes is cut to the text between them."""
    rows = []
    for line in printed.err.splitlines():
        row = json.loads(line)
        kinds = {"interval": float, "cpu": str, "counter-value": str, "unit": str, "cgroup": str,
                 "event": str, "event-runtime": int}
        assert all(isinstance(row[key], kind) for key, kind in kinds.items() if key in row), line
        assert isinstance(row["pcnt-running"], (int, float))
        name = row["event"].split("/", 2)
        event = name[1] if len(name) == 3 and name[0] != "power" else row["event"]
        value = row["counter-value"]
        rows.append([row["interval"], row.get("cpu"), row.get("cgroup"), event,
                     None if value.startswith("<") else float(value)])
    return first_interval(rows)


def interval_normalize(printed):
    """Recognizes rows by their fields: a time, a CPU, a count, a unit, an event, ns and percent."""
    rows = []
    for row in csv.reader(io.StringIO(printed.file("csv"))):
        if not row or row[0].startswith("#"):
            continue
        stamp, cpu, value, unit, event, running, _percent = row[:7]
        assert re.match(r"\s*[0-9.]+$", stamp) and re.match(r"CPU\d+$", cpu), row
        assert re.match(r"[0-9.]+$|<not", value) and re.match(r"[a-zA-Z]*$", unit), row
        assert int(running) >= 0
        rows.append([float(stamp), cpu, event, value])
    return [[cpu, event, value] for cpu, event, value in first_interval(rows) if cpu == "CPU1"]


def topdown_tool(printed):
    """Expects an acknowledgement of six bytes, and a file in which all events of a group are in
    order."""
    assert printed.file("ack") == "ack\n\0"
    rows = [line.split(";") for line in printed.file("csv").splitlines()
            if line and not line.startswith("#")]
    return [[event, None if count.startswith("<") else float(count)]
            for _core, _cpus, count, _unit, event, *_ in rows]


def topdown_probe(printed):
    """Expects as many lines on standard error as events. The fifth field is the share of the
    time."""
    return [line.split("\t")[2:5:2] for line in printed.err.splitlines() if line]


def one_line(printed):
    """Expects exactly one line, with the value and the ns of the event."""
    line, = printed.err.splitlines()
    fields = line.split("\t")
    return [fields[2], float(fields[3]) > 0]


def csv_rows(printed):
    """Value, unit and event of each row in a file with a heading."""
    text = printed.file("csv")
    assert re.match(r"# started on \w{3} \w{3} +\d+ [\d:]+ \d{4}\n\n", text)
    return [row.split(",")[:3] for row in text.splitlines() if row and row[0] != "#"]


def csv_first_line(printed):
    """The first line that has a comma."""
    return next(line for line in printed.file("csv").splitlines() if "," in line).split(",")[0]


def csv_with_deviation(printed):
    """-r: the deviation is the field after the event."""
    found = {}
    for line in printed.err.splitlines():
        value, _unit, event, deviation, *_ = line.split(",")
        assert re.fullmatch(r"\d+\.\d\d%", deviation), line
        found[event] = value
    return found


def csv_grep(printed):
    """grep ",EVENT," and the first field."""
    lines = printed.file("csv").splitlines()
    return {event: next(line for line in lines if f",{event}," in line).split(",")[0]
            for event in ("instructions", "cycles", "branches", "branch-misses")}


def text_rows(printed):
    """grep EVENT | head -1 | awk '{ print $1 }', with commas removed."""
    found = {}
    for event in ("instructions", "cycles", "branches", "branch-misses"):
        line = next(line for line in printed.err.splitlines() if event in line)
        found[event] = line.split()[0].replace(",", "")
    assert re.search(r"^ +\d+\.\d+ seconds time elapsed$", printed.err, re.M)
    return found


def text_lld(printed):
    """Rows of a number and a name before a #, and the three times at the end."""
    found = {}
    for line in printed.err.splitlines():
        words = line.partition("#")[0].split()
        if line.strip().endswith(("seconds time elapsed", "seconds user", "seconds sys")):
            found[" ".join(words[1:])] = float(words[0]) >= 0
        elif len(words) in (2, 3) and re.fullmatch(r"[\d,.]+", words[0]):
            found[words[-1]] = words[0]
    return found


def text_ipc(printed):
    """sed: the number between # and "insn per cycle"."""
    return re.findall(r"# *([0-9.]+)  *insn per cycle", printed.err)


def text_appended(printed):
    """Files with --append: a heading and rows of two words for each run."""
    parts = printed.file("text").split("# started on ")[1:]
    return [[row.split()[:2] for row in part.splitlines() if re.match(r" +[\d,]+ +\S+ *$", row)]
            for part in parts]


def text_energy(printed):
    """A number in front of Joules."""
    found = re.findall(r"([\d.,]+) Joules power/energy-pkg/", printed.err)
    return [float(value) >= 0 for value in found]


def text_heading(printed):
    """The heading names the target; each event of -e has a row, in that order."""
    text = printed.file("text")
    assert re.search(r"Performance counter stats for process id '\d+':", text), text
    return [line.split()[1] for line in text.splitlines() if re.match(r" +\d+ ", line)]


def hperf(printed):
    """CSV of each CPU: the second field is the CPU, the fifth the event."""
    rows = [line.split(",") for line in printed.file("csv").splitlines()]
    return first_interval([[row[0], row[1], row[4], row[2]] for row in rows if row[4] != "cpu-clock"
                           and row[4] != "duration_time"])


def ipc_by_cpu(printed):
    """awk -F, over three fields: CPU, event, count."""
    rows = [line.split(",") for line in printed.out.splitlines()]
    return first_interval([[row[0], row[1], row[4], row[2]] for row in rows])


def awk_sum(printed):
    """awk '/EVENT/ { if ($1 != "<not") sum += $1 }' over the report."""
    counted = [line.split()[0] for line in printed.err.splitlines() if "instructions" in line]
    return sum(int(word) for word in counted if word != "<not")


def status(printed):
    return printed.code


# ---- the table ----

GROUPS = ("{cpu-cycles,instructions,cache-references,cache-misses,branch-instructions,"
          "branch-misses},{dTLB-loads,dTLB-load-misses},cpu-clock,task-clock,page-faults,"
          "context-switches,cpu-migrations,minor-faults,major-faults")
L1 = "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}"
TOPLEV = f"-e '{L1},cpu/event=0xc2,umask=0x2/,cycles:k' true"

WRAPPERS = [
    Wrapper("lkp-tests", "perf -v >/dev/null || exit 9; exec perf stat -a --scale -I 200 -x , "
            f"-e '{GROUPS}' --log-fd 1 -D 0 -- sleep 0.25", lkp),
    Wrapper("lkp-tests by socket", "perf stat -a --scale -I 200 -x , -e cycles,instructions "
            "--log-fd 1 --per-socket -D 0 -- sleep 0.25", lkp),
    Wrapper("lkp-tests energy",
            "perf stat -a -x' ' -e power/energy-pkg/ 2>&1 -- true", lkp_energy),
    Wrapper("lkp-tests perf-events", "perf --version", lkp_version),
    Wrapper("toplev's probe", "perf stat --log-fd 3 3>/dev/null >/dev/null 2>/dev/null true",
            status),
    Wrapper("toplev", f"perf stat '-x;' --log-fd 3 {TOPLEV} 3>&1", toplev),
    Wrapper("toplev -I", f"perf stat '-x;' --log-fd 3 -I 200 {TOPLEV} 3>&1", toplev),
    Wrapper("toplev --core", f"perf stat '-x;' --log-fd 3 -a -A {TOPLEV} 3>&1", toplev),
    Wrapper("toplev --per-socket", f"perf stat '-x;' --log-fd 3 --per-socket -a {TOPLEV} 3>&1",
            toplev),
    Wrapper("toplev --per-core", f"perf stat '-x;' --log-fd 3 --per-core -a {TOPLEV} 3>&1", toplev),
    Wrapper("ocperf", "perf stat -a --scale -I 200 -x' ' -e cycles,instructions --log-fd 1 -- "
            "sleep 0.25", lambda printed: first_interval(
                [line.split(" ")[:4] for line in printed.out.splitlines()])),
    Wrapper("counterdiff", "perf stat --output csv -x, -e branch-misses true", csv_first_line),
    Wrapper("interval-normalize", "perf stat -I 200 -x, -o csv -a -A -e cycles,cs,instructions "
            "sleep 0.25", interval_normalize),
    Wrapper("rustc-perf", "LC_NUMERIC=C perf stat '-x;' -e instructions:u,cycles:u,task-clock,"
            "cpu-clock,faults,context-switches,branch-misses,cache-misses --log-fd 1 true",
            rustc_perf),
    Wrapper("JMH perfnorm", "perf stat --log-fd 2 --field-separator , --event cycles,instructions,"
            "L1-dcache-loads,dTLB-load-misses -I 200 sleep 0.25", jmh_norm),
    Wrapper("JMH perfnorm's probe", "for event in cycles mem:0x404040/9:w instructions; do perf "
            "stat --log-fd 2 --field-separator , --event $event echo 1 || exit; done", jmh_sense),
    Wrapper("JMH perf", "perf stat --log-fd 2 --delay 1 --detailed --detailed --detailed sleep 0.1",
            jmh_perf),
    Wrapper("blkhash", "perf stat --json-output -ddd --event cycles,instructions,cs true",
            json_lines),
    Wrapper("PerfSpect", "perf stat -I 200 -j -a -e '{cpu/event=0xc4,name=br/,instructions,cycles}'"
            " -e '{power/energy-pkg/}' sleep 0.25", perfspect),
    Wrapper("PerfSpect by CPU", "perf stat -I 200 -j -a -A -e '{cpu/branches/,instructions}' -e "
            "'{cycles,cs}' sleep 0.25", perfspect),
    Wrapper("PerfSpect by process", "perf stat -I 200 -j -p $$ -e '{instructions,cycles}' sleep "
            "0.25", perfspect),
    Wrapper("PerfSpect's probe", "perf stat -a -e '{slots, topdown-bad-spec}' sleep 0.1", lambda
            printed: [printed.code, "<not" in printed.err]),
    Wrapper("topdown_tool", "mkfifo c a; exec 3<>c 4<>a; perf stat -x ';' -o csv --per-core -C 0,1 "
            "-e '{instructions,cycles},cs' --delay -1 --control fd:3,4 2>/dev/null & "
            "printf enable >&3; head -c 5 <&4 >ack; kill -INT $!; wait", topdown_tool),
    Wrapper("topdown_tool's counters", "perf stat -e '{instructions:u,instructions:u}' -C 0 -x "
            "'\\t' perf -v >/dev/null", topdown_probe),
    Wrapper("topdown_tool's frequency", "perf stat -e uncore_imc_0/clockticks/ -x '\\t' --timeout "
            "100", one_line),
    Wrapper("perf-run.sh", "perf stat -e instructions true 2>/dev/null && perf stat -e "
            "instructions,cycles,branches,branch-misses true", text_rows),
    Wrapper("lld's benchmarks", "perf stat -e cycles,instructions,page-faults,branches true",
            text_lld),
    Wrapper("IPC in a loop", "perf stat -a -e instructions,cycles sleep 0.1", text_ipc),
    Wrapper("IPC of each CPU", "perf stat -a -A -x ',' -e cycles,instructions --log-fd 1 -I 200 "
            "sleep 0.25", ipc_by_cpu),
    Wrapper("mongoose's benchmarks", "perf stat -x, -r 3 -e branch-instructions,branch-misses,"
            "bus-cycles,cache-misses true", csv_with_deviation),
    Wrapper("bench.sh with xsv", "perf stat --field-separator=, --output=csv -- true", csv_grep),
    Wrapper("nofib", "perf stat -x, --output=csv -e instructions,cycles -- true", csv_rows),
    Wrapper("spec-cpu-db", "for run in 1 2; do perf stat --append -o text -e cycles,instructions:u "
            "true; done", text_appended),
    Wrapper("hperf", "3>csv perf stat -e 'cpu-clock,duration_time,cycles:D,{instructions,r01,r03}' "
            "-A -a -x, -I 200 --log-fd 3 sleep 0.25", hperf),
    Wrapper("energy of a CPU", "perf stat -C 0 -e power/energy-pkg/ -- sleep 0.1", text_energy),
    Wrapper("renderer's counters", "perf stat -I 200 --all-user -e instructions,cycles -p $$ -o "
            "text -- sleep 0.25", lambda printed: [line.split()[1:3] for line in
                                              printed.file("text").splitlines()
                                              if re.match(r" +[\d.]+ ", line)][:2]),
    Wrapper("counters of a thread", "sleep 9 & perf stat -B -e cycles,instructions -o text -p $! "
            "-- sleep 0.1; kill $!", text_heading),
    Wrapper("instructions by flag", "perf stat -x : -e instructions:u true 2>&1 >/dev/null",
            lambda printed: printed.out.split(":")[0]),
    Wrapper("kernel's shell tests", "perf stat --no-big-num -e instructions -- true", awk_sum),
]
# perf's own lines for the metrics TopdownL1 break this parser; pstat prints them only on request.
DEFAULT = Wrapper("blkhash's default events", "perf stat --json-output true", json_lines)


# ---- running them ----

def run(machine, wrapper, tool):
    """Returns what the wrapper's parser finds if `tool` runs as perf, and the output of the
    tool."""
    with tempfile.TemporaryDirectory(prefix="pstat-wrapper-") as name:
        folder = pathlib.Path(name)
        (folder / "bin").mkdir()
        (folder / "bin/perf").symlink_to(os.path.realpath(tool))
        script = f"cd {folder} && {{ {wrapper.script}\n}}"
        env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "PERF_CONFIG": "/dev/null"}
        done = machine.run(["/bin/sh", "-c", script], env=env)
        printed = Printed(done.stdout, done.stderr, folder, done.returncode)
        try:
            return json.loads(json.dumps(wrapper.parse(printed))), printed
        except (ValueError, LookupError, TypeError, AttributeError, OSError,
                StopIteration) as error:
            text = f"{error!r}: {wrapper.script}\n{done.stdout}{done.stderr}"
            raise AssertionError(text) from error


def record(table, golden):
    """Writes what the parsers of a table find, or prints the results of the parsers that the
    arguments name."""
    chosen = [wrapper for wrapper in table if wrapper.name in sys.argv[1:] or not sys.argv[1:]]
    with imitated.Imitation(MACHINE) as machine:
        found = {}
        for wrapper in chosen:
            found[wrapper.name], printed = run(machine, wrapper, os.environ["PERF"])
            if len(sys.argv) > 1:
                print(f"{wrapper.name}\n{found[wrapper.name]}\n{printed.out}{printed.err}")
    if len(sys.argv) == 1:
        lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
        golden.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    record(WRAPPERS, GOLDEN)
