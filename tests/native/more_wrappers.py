#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
More programs and scripts that run `perf stat`, as wrappers.py describes them: benchmarks, monitors,
selftests of the kernel, and loggers of energy.

    PERF=/path/to/perf tests/native/more_wrappers.py     writes golden/native/more-wrappers.json
"""

import csv
import json
import re

import wrappers
from wrappers import Wrapper, first_interval

GOLDEN = wrappers.GOLDEN.with_name("more-wrappers.json")


# ---- parsers ----

def cut_deviation(printed):
    """grep task-clock; the fourth field without its last character is a number."""
    lines = printed.file("csv").splitlines()
    fields = next(line for line in lines if "task-clock" in line).split(";")
    instructions = next(line for line in lines if "instructions" in line).split(";")[0]
    return [float(fields[0]) > 0, float(fields[3][:-1]) >= 0, instructions]


def awk_default_events(printed):
    """awk -F, with a pattern ",EVENT," for each default event; CPU utilization is field 6."""
    found = {}
    for event in ("task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles",
                  "instructions", "branches", "branch-misses"):
        for line in printed.out.splitlines():
            if f",{event}," in line:
                found[event] = line.split(",")[0]
    return {event: value for event, value in found.items() if event != "task-clock"}


def fields_by_position(printed):
    """Fields by number: interval, value, unit, event, ns, percent, metric, and its unit if any."""
    rows = []
    for line in printed.err.splitlines():
        fields = line.split(",") + [""] * 8
        rows.append([float(fields[0]), *fields[1:4], float(fields[5]), fields[6], fields[7]])
    return first_interval(rows)


def columns(printed):
    """A table of seven columns. Empty lines and lines that begin with # are not rows."""
    lines = [line for line in printed.file("csv").splitlines() if line and line[0] != "#"]
    rows = csv.reader(lines, delimiter=";")
    names = ["value", "unit", "event", "runtime", "percent", "metric", "metric unit"]
    table = [dict(zip(names, row, strict=True)) for row in rows]
    return [[row["event"], row["value"], float(row["percent"]), row["metric unit"]]
            for row in table if row["event"] not in ("cpu-clock", "task-clock")]


def value_by_event(printed):
    """Splits lines at the separator. The third field is an event, as the program requested it."""
    found = {}
    for line in printed.err.splitlines():
        fields = re.split("[,;]", line)
        if len(fields) >= 3 and fields[0][:1].isdigit():
            found[fields[2]] = int(float(fields[0]))
    return {event: value for event, value in found.items() if "clock" not in event}


def value_by_plain_event(printed):
    """Removes modifiers, and ignores an event whose value is not a number."""
    return {event.split(":", 1)[0]: value for event, value in value_by_event(printed).items()}


def thread_rows(printed):
    """The first field is COMM-TID; the TID is that of the process, or another one."""
    pid, rows = printed.file("pid").strip(), []
    for line in printed.file("csv").splitlines():
        fields = line.split(",")
        if len(fields) >= 5:
            comm, tid = fields[0].rsplit("-", 1)
            rows.append([comm, tid == pid, fields[3], fields[1]])
    return rows


def all_threads(printed):
    """Every line has fields between semicolons and COMM-TID as the first one."""
    rows = [line.split(";") for line in printed.out.splitlines() if ";" in line]
    assert rows and all(re.search(r"-\d+$", row[0]) and int(row[1]) > 0 for row in rows)
    return sorted({(len(row), row[2], row[3], row[5]) for row in rows})


def cpu_columns(printed):
    """Reads the time, CPU, count, unit and event of each requested CPU."""
    rows = [line.split(",") for line in printed.err.splitlines()]
    return first_interval([[row[0], row[1], row[2], row[4]] for row in rows])


def json_file(printed):
    """Skips lines of a file that are not JSON. The other lines have an event and a value."""
    found = {}
    for line in printed.file("json").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        found[row["event"].strip()] = [int(float(row["counter-value"])), row.get("variance")]
    return found


def json_counts(printed):
    """Finds lines by the key "event", and removes the PMU from the name."""
    found = {}
    for line in printed.err.splitlines():
        if '"event"' in line:
            row = json.loads(line.strip())
            name = row["event"].split("/")
            found[name[1] if len(name) > 1 else name[0]] = row["counter-value"]
    return found


def jq_value(printed):
    """jq '."counter-value"' | tr -d '"': one number."""
    values = [json.loads(line)["counter-value"] for line in printed.file("json").splitlines()]
    value, = values
    return float(value)


def joules(printed):
    """grep Joules | awk '{ print $4 }', for the two sockets of the first interval"""
    lines = [line for line in printed.file("log").splitlines() if "Joules" in line]
    return [[line.split()[1], float(line.split()[3])] for line in lines[:2]]


def energy_log(printed):
    """The first field is the time, the second the energy, the fourth the event."""
    rows = [line.split(",") for line in printed.file("log").splitlines()
            if re.match(r" *[0-9]", line)]
    return [[float(value), unit, event] for value, unit, event, *_ in first_interval(rows)]


def text_with_deviation(printed):
    """A number, a name, and perhaps a deviation at the end of the line."""
    found = {}
    for line in printed.file("text").splitlines():
        row = re.match(r"\s+([\d,.]+)\s+([\w-]+).*?(?:\( \+- +([\d.]+)% \))?", line)
        if row and row[2] not in ("msec", "ns", "seconds", "GHz"):
            found[row[2]] = row[1]
    assert re.search(r"seconds time elapsed +\( \+- +[\d.]+% \)", printed.file("text"))
    return {event: value for event, value in found.items() if "clock" not in event and "-" in event}


def text_by_socket(printed):
    """Socket, number of CPUs, count and event of each row."""
    return [line.split()[:4] for line in printed.err.splitlines() if re.match(r"S\d", line)]


def report_of_process(printed):
    """Reads the report of a process that is counted until SIGINT arrives."""
    text = printed.file("log")
    assert re.search(r"Performance counter stats for process id '\d+':", text), text
    assert re.search(r"^ +\d+\.\d+ seconds time elapsed$", text, re.M), text
    return [event for event in ("context-switches", "page-faults", "cycles", "instructions")
            if re.search(rf"^ +[\d,]+ +{event}\b", text, re.M)]


def text_values(printed):
    """Reads the words before each name in a file with a heading."""
    return re.findall(r"^ +([\d,]+|<not \w+>) +([\w-]+)", printed.file("text"), re.M)


def text_tast(printed):
    """Skips the heading, and reads the count before the name at the end of each line."""
    row = re.compile(r"\s*([\d,]+|<not \w+>)\s+(\S+)")
    return dict(reversed(row.match(line).groups()) for line in printed.err.splitlines()
                if re.search(r"\b(cycles|instructions)\b", line))


def raw_energy(printed):
    """duration_time is in ns, and raw events have the names that they were given."""
    rows = [line.split(";") for line in printed.file("csv").splitlines() if ";" in line]
    return [[row[2], row[1], row[0] if row[2] != "duration_time" else int(row[0]) > 0]
            for row in rows]


def statuses(printed):
    """Returns whether each probe succeeded."""
    return printed.out.split()


def mesos(printed):
    """Value, unit, event and cgroup between commas; the probe has to succeed."""
    rows = [line.split(",") for line in printed.out.splitlines()]
    assert all(len(row) > 4 for row in rows)
    return [printed.file("probe").strip(), [[row[0], row[2], row[3]] for row in rows]]


def by_cgroup(printed):
    """The fourth field is the cgroup, the third one the event."""
    rows = [line.split(";") for line in printed.out.split("\n") if line]
    return {f"{row[3]} {row[2]}": row[0] for row in rows if len(row) >= 3}


def bars_of_intervals(printed):
    """Splits the lines of a file at bars. The first field is a time, and comments begin with #."""
    rows = [line.split("|") for line in printed.file("csv").splitlines()
            if line and not line.startswith("#")]
    assert all(float(row[0]) > 0 for row in rows)
    return first_interval([[row[0].strip(), row[1], row[3], row[6]] for row in rows])


def one_number(printed):
    """The rest of the output, after other text is removed, is a single number."""
    value, = printed.out.split()
    return value


def elapsed_time(printed):
    """The first word of the line "time elapsed" is a number, once for each run of perf."""
    values = printed.out.split()
    assert all(re.fullmatch(r"\d+\.\d+", value) and float(value) > 0 for value in values)
    return len(values)


def words_of_intervals(printed):
    """Lines of three words: the time, a count with commas, and the event."""
    rows = [line.split() for line in printed.file("log").splitlines()]
    rows = [row[:3] for row in rows if row and re.fullmatch(r"\d+\.\d+", row[0])]
    return first_interval(rows)


def times_of_file(printed):
    """The numbers before "seconds user", "seconds sys" and "seconds time elapsed"."""
    found = re.findall(r"^ +([\d.]+) seconds (user|sys|time elapsed)$", printed.file("text"), re.M)
    assert all(float(value) >= 0 for value, _ in found)
    return [name for _, name in found]


def blocks(printed):
    """Each run of perf appends a block that begins with the same heading."""
    parts = printed.file("text").split(" Performance counter stats for ")
    return [re.findall(r"^ +([\d,]+) +(cycles|L1-dcache-loads)\b", part, re.M) for part in parts]


def one_object_each(printed):
    """Reads both streams as one text. A line that is not JSON ends the program that reads it."""
    return [[row["event"], row["counter-value"]]
            for row in map(json.loads, (printed.out + printed.err).splitlines())]


def first_number_of_file(printed):
    """A file of one row of CSV, after a comment and an empty line, whose first field is a count."""
    rows = [line.split(",") for line in printed.file("csv").splitlines() if line[:1].isdigit()]
    (value, _, event, *_), = rows
    return [event, int(value)]


def sixth_line(printed):
    """The sixth line of a file begins with the count."""
    return printed.file("text").splitlines()[5].split()[:2]


def named_columns(printed):
    """csv.DictReader with names for the columns of -x, -r."""
    names = ["count", "unit", "event", "variance", "runtime", "pct", "metric", "metric unit"]
    rows = csv.DictReader(printed.file("csv").splitlines()[2:], names)
    return {row["event"]: [row["count"], row["variance"], row["metric unit"]] for row in rows
            if row["event"] != "task-clock"}


def numbers_by_name(printed):
    """A number with commas or points before the name of each counter, anywhere in a line."""
    found = {}
    for line in map(str.strip, printed.err.splitlines()):
        for name in ("cycles", "instructions", "branches", "branch-misses"):
            row = re.search(rf"(\d[\d,.]*)\s+{name}", line)
            if row:
                found[name] = row[1].replace(",", "")
    return found


def rates(printed):
    """The value and the unit after # in each line, and the percentage at its end."""
    return [[line.split()[1], re.search(r"# +([\d.]+%? .*?) *(\(|$)", line)[1]]
            for line in printed.err.splitlines() if "#" in line and "clock" not in line]


# ---- the table ----

DEFAULTS = "cpu-clock,context-switches,cpu-migrations,page-faults,cycles,instructions,branches"
# waits until the child process has replaced the shell with sleep
COUNTED = "sleep 9 & echo $! >pid; until grep -q sleep /proc/$!/comm; do sleep 0.01; done; "
# the shell makes a background program ignore SIGINT, until the program installs a handler
STOPPED = "until [ -s log ]; do sleep 0.2; kill -INT $! 2>/dev/null; done; wait $!;"

WRAPPERS = [
    Wrapper("OpenTTD's performance check", "perf stat -x\\; -o csv -r5 true", cut_deviation),
    Wrapper("max-rss and counters", "perf stat --field-separator=',' -- true 2>&1 >&-",
            awk_default_events),
    Wrapper("DCPerf's monitor", "perf stat -a -x , -I 200 -e instructions,cycles,cs sleep 0.25",
            fields_by_position),
    Wrapper("benchkit's monitor", f"perf stat -x ';' -o csv -e {DEFAULTS},branch-misses true",
            columns),
    Wrapper("counters of a Go benchmark", "perf stat -x, -e '{cycles:u,instructions:u,branches:u,"
            "branch-misses:u}' taskset -c 0 true", value_by_event),
    Wrapper("counters of a Python benchmark", "perf stat -x, -e instructions:u,cycles:u,"
            "cache-misses,stalled-cycles-backend -- true", value_by_plain_event),
    Wrapper("allocator benchmark", "perf stat -x\\; -d -e cpu-clock:k,cache-references,"
            "cache-misses,cycles,instructions,branches,faults,migrations true", value_by_event),
    Wrapper("sorting benchmark", "perf stat --field-separator=, --repeat 1 -e cache-misses,"
            "cache-references,instructions true 2>&1 | sed -e 's/^/{4}Threads,/' | grep miss",
            lambda printed: [line.split(",")[:4] for line in printed.out.splitlines()]),
    Wrapper("CSIT's bundle", "perf stat -x\\; -e '{cpu/event=0x3c,umask=0x0/u}' -a --per-thread "
            "sleep 0.1 2>&1", all_threads),
    Wrapper("CSIT's perf utility", "perf stat --cpu 0,1 --no-aggr --field-separator , --event "
            "cycles,instructions,L1-icache-load-misses --interval-print 200 sleep 0.25",
            cpu_columns),
    Wrapper("server's threads", f"{COUNTED} perf stat --per-thread -e cycles,instructions,"
            "task-clock:u -x, -o csv -p $(cat pid) -- sleep 0.1; kill $(cat pid)", thread_rows),
    Wrapper("harness with a handshake", f"{COUNTED} mkfifo c a; exec 3<>c 4<>a; perf stat --delay "
            "-1 --control fifo:c,a --json --inherit -p $(cat pid) -o json -e cycles,branches & "
            "echo enable >&3; head -c 4 <&4 >ack; kill -INT $!; wait $!; kill $(cat pid)",
            json_file),
    Wrapper("benchmark that enables its counters", "mkfifo c; exec 3<>c; perf stat -D -1 -e cycles,"
            "instructions,stalled-cycles-backend -o text --control fifo:c -- sh -c 'echo enable >c;"
            " sleep 0.1; echo disable >c; sleep 0.1'", text_values),
    Wrapper("adapter of JSON", "LC_ALL=C perf stat --json-output --no-big-num --output json "
            "--repeat 3 --event cycles,instructions,branches -- true", json_file),
    Wrapper("Lua benchmark", "taskset -c 0 perf stat -j -e cpu/cycles/,instructions,branches true",
            json_counts),
    Wrapper("fib_tests", "perf stat -a -e syscalls:sys_enter_openat --filter 'number > 0' -j -o "
            "json -- true", jq_value),
    Wrapper("amd-pstate tests", "perf stat -a --per-socket -I 200 -e power/energy-pkg/ sleep 0.25 "
            ">log 2>&1", joules),
    Wrapper("energy by event name", "perf stat -I 200 -a -e energy-pkg,energy-ram -x, >log 2>&1 & "
            "until [ -s log ]; do sleep 0.05; done; kill -INT $!; wait", energy_log),
    Wrapper("energy of a CPU in intervals", "perf stat -e power/energy-pkg/ -C 0 -D 100 -I 200 "
            "-x , -o log sleep 0.4", energy_log),
    Wrapper("energy of A64FX", "perf stat -x\\; -o csv -e duration_time,r11,r1e0,r3e0 true",
            raw_energy),
    Wrapper("pyperformance", "perf stat -r 2 -d -d -d -- true >text 2>&1", text_with_deviation),
    Wrapper("memory tiers by socket", "perf stat -a --per-socket -e dTLB-load-misses,dTLB-loads,"
            "cache-misses,bus-cycles -- taskset -c 0 true", text_by_socket),
    Wrapper("Jetty's monitor", f"{COUNTED} perf stat -p $(cat pid) 2>log & until [ -s log ]; do "
            "sleep 0.2; kill -INT $!; done; wait $!; kill $(cat pid)", report_of_process),
    Wrapper("probes", "for event in cpu_core/cycles/u instructions:u cycles:ppp; do perf stat -e "
            "$event -- true >/dev/null 2>&1 && echo yes || echo no; done", statuses),
    Wrapper("probe of energy", "perf stat -e power/energy-pkg/ -- sleep 0 2>/dev/null && echo yes "
            "|| echo no", statuses),
    Wrapper("Mesos", "perf stat --log-fd 2 --event cycles --event instructions true 2>/dev/null; "
            "echo $? >probe; perf stat --all-cpus --field-separator , --log-fd 1 --event cycles "
            "--cgroup / --event cs --cgroup / -- sleep 0.1", mesos),
    Wrapper("Snap's collector", "perf stat --log-fd 1 '-x;' -a -G/,/,/ -ecycles,instructions,cs "
            "-- sleep 0.1 2>/dev/null", lambda printed: printed.code),
    Wrapper("Snap's collector, events first", "perf stat --log-fd 1 '-x;' -a "
            "-ecycles,instructions,cs -G/,/,/ -- sleep 0.1", by_cgroup),
    Wrapper("Go profiler in intervals", "perf stat -a -e cycles,instructions,cs -I 200 -x '|' "
            "-o csv -- sleep 0.25", bars_of_intervals),
    Wrapper("frequency of a CPU", "taskset -c 0 perf stat --log-fd 1 -e cycles -x ' ' timeout 1s "
            "true | grep -v 'not counted' - | awk '{print $1}'", one_number),
    Wrapper("fields between spaces", "perf stat --log-fd 1 -e cycles,stalled-cycles-backend,"
            "cs -x ' ' true | awk '{print $1}'", statuses),
    Wrapper("mean of times", "for run in 1 2; do perf stat --log-fd 1 true | awk '/time elapsed/ "
            "{print $1}'; done", elapsed_time),
    Wrapper("mean of repetitions", "perf stat -r 3 -d true 2>&1 | awk '/time elapsed/ {print $1}'",
            elapsed_time),
    Wrapper("time with the fraction's comma replaced", "output=$(perf stat --log-fd 1 -e cycles,"
            "instructions,cache-misses true 2>&1); echo \"$output\" | grep 'seconds time elapsed' |"
            " awk '{print $1}' | sed 's/,/./'", elapsed_time),
    Wrapper("bubbles", "echo 17 >log; 3>>log perf stat --log-fd=3 -e instructions,cycles -I 200 "
            "sleep 0.25", words_of_intervals),
    Wrapper("encoder's times", "3>text perf stat --log-fd 3 true >/dev/null 2>&1", times_of_file),
    Wrapper("graphs of growing size", "for n in 1 2; do echo test $n >>text; 3>>text perf stat "
            "--log-fd 3 --append -d true | tee -a text; done", blocks),
    Wrapper("bundle with the process", f"{COUNTED} perf stat -e cycles,cs -ip $(cat pid) -x , "
            f"2>log & {STOPPED} cat log >&2; kill $(cat pid)", value_by_event),
    Wrapper("both streams in one buffer", f"{COUNTED} perf stat -j -e instructions,cycles -p "
            f"$(cat pid) >log 2>&1 & {STOPPED} cat log; kill $(cat pid)", one_object_each),
    Wrapper("until the process ends", "sleep 0.5 & perf stat --field-separator , --event "
            "cycles,cs --pid $!", value_by_event),
    Wrapper("native counter harness", "mkfifo c a; exec 3<>c 4<>a; perf stat --no-scale "
            "--no-big-num -x, -v --delay=-1 --control=fifo:c,a -e instructions:u --output csv -- "
            "sh -c 'echo enable >&3; head -c 4 <&4 >ack' 2>verbose", first_number_of_file),
    Wrapper("database's counters", "for event in cycles cs; do LC_NUMERIC=C perf stat -r 2 -e "
            "$event -p $$ -x \",\" -- true 2>>csv; done", lambda printed: [
                line.split(",")[:4] for line in printed.file("csv").splitlines()]),
    Wrapper("Java's instructions", "perf stat -e instructions:u -o text true", sixth_line),
    Wrapper("named columns of repetitions", "perf stat -r 3 -x, -o csv -e task-clock,cycles:u,"
            "instructions:u,branches:u,branch-misses:u -- sh -c true", named_columns),
    Wrapper("numbers before names", "perf stat -e cycles,instructions,branches,branch-misses true",
            numbers_by_name),
    Wrapper("rates of a detailed run", "perf stat -e task-clock,cycles,instructions,cache-misses,"
            "cache-references,page-faults,L1-dcache-loads,L1-dcache-load-misses true", rates),
    Wrapper("probe of reference cycles", "perf stat -a -e ref-cycles sleep 0.1 2>&1 | grep -q 'not "
            "supported' && echo no || echo yes; perf stat -p $$ sleep 0.1 >/dev/null 2>&1 && "
            "echo yes", statuses),
    Wrapper("probe with quotes around the events", "perf stat -a -e \"'{cpu/event=0x00,umask=0x04,"
            "period=10000003,name='TOPDOWN.SLOTS'/,cpu/event=0x00,umask=0x81,period=10000003,"
            "name='PERF_METRICS.BAD_SPECULATION'/}'\" sleep 0.1 >/dev/null 2>&1; echo $?",
            statuses),
    Wrapper("counters of CPU 3 until a signal", "perf stat -e cycles,cs -C 3 -o text --append & "
            "until grep -q elapsed text; do sleep 0.2; kill -INT $! 2>/dev/null; done",
            text_values),
    # combinations of options, of which perf overrides or ignores some
    Wrapper("tast", "sleep 9 & perf stat -a -p $! -e cycles,instructions sleep 0.1; kill $!",
            text_tast),
    Wrapper("devlib", "perf stat -a -i -e cpu-migrations -e context-switches sleep 0.1 >text 2>&1",
            lambda printed: re.findall(r"(\d+) +(cpu-migrations|context-switches)\b",
                                       printed.file("text"))),
    Wrapper("append by CPU and process", "sleep 9 & perf stat -x, -o csv --append -e cycles "
            "--cpu=1 -p $! sleep 0.1; kill $!", wrappers.csv_rows),
    Wrapper("JSON with -B", "perf stat -B -j -e cycles,cs true", wrappers.json_lines),
]


if __name__ == "__main__":
    wrappers.record(WRAPPERS, GOLDEN)
