# SPDX-License-Identifier: GPL-2.0-only
"""Makes random command lines from a seed and a number: valid lines, lines with one or two mistakes,
and random words. No line writes outside its working directory, because no mistake puts a slash
before a name, and all commands are harmless."""

import collections
import random

# `status` is the exit status that a valid line must have. `form` is the required form of its
# output: json, csv, text or none.
Line = collections.namedtuple("Line", "words kind status form")

SOFTWARE = [
    "cs", "page-faults", "task-clock", "cpu-clock", "cpu-migrations", "minor-faults", "dummy",
    "emulation-faults"
]
EVENTS = SOFTWARE * 3 + [
    "duration_time",
    "cycles",
    "instructions",
    "branch-misses",
    "LLC-loads",
    "r1a",
    "msr/tsc/",
    "sched:sched_switch",
    "mem:0x1000:w",
    "L1-dcache-load-misses",
    "cpu-clock/name=mine/",
]
COMMANDS = [(["true"], 0), (["false"], 1), (["sh", "-c", "exit 3"], 3), (["no-such-command"], 127),
            (["/"], 126)]
OF_CPUS = [
    "-A", "--no-aggr", "--per-core", "--per-socket", "--per-die", "--per-node", "--per-cluster",
    "--per-cache", "--no-merge"
]
SEPARATORS = [",", ";", "\\t", "|", "::"]

# Mistakes and random words are made from these parts: options of all commands, values of all kinds,
# and other words.
FLAGS = [
    "-a", "-A", "-i", "-n", "-d", "-dd", "-ddd", "-S", "-B", "-j", "-v", "-vv", "--quiet",
    "--summary", "--table", "--range", "--follow", "--append", "--all-user", "--all-kernel",
    "--bpf-counters", "--per-thread", "--per-prog", "--per-scope", "--metric-only",
    "--hist", "--percore-show-thread", "--no-csv-summary", "--cgroup-follow", "--no-scale",
    "--no-calibrate", "--annotate", "--folded", "--lines", "--check", "--deprecated", "--no-desc",
    "--branches",
    "--inclusive", "--help", "--usage", "--version", "-h", "-?", "--interval-clear",
    "--no-such-option", "--sum", "--per", "--", "-", "stat", "profile", "list", "progs", "why",
    "record"
] + OF_CPUS
VALUED = [
    "-e", "-b", "--scope", "-C", "-G", "-p", "-t", "-M", "-r", "-I", "-D", "-x", "-o", "-c", "-F",
    "--filter",
    "--for-each-cgroup", "--top", "--timeout", "--interval-count", "--control", "--pre", "--post",
    "--packet", "--outliers", "--outlier-rate", "--log-fd", "--metrics-file", "--events-dir",
    "--debug-dir", "--map-size", "--stack-map-size", "--bpf-attr-map", "--per-cache", "--hist"
]
VALUES = (
    EVENTS
    + SEPARATORS
    + [
        "0",
        "1",
        "2",
        "-1",
        "10",
        "007",
        "1.5",
        "1e3",
        "0x10",
        "4294967296",
        "18446744073709551616",
        "99999999999999999999999",
        "0-",
        "1-0",
        "0,0",
        "0-1",
        "9999",
        "all",
        "name:xdp_*",
        "name:",
        "tag:00",
        "tag:zz",
        "type:xdp",
        "type:",
        "pinned:/sys/fs/bpf/none",
        "pinned:",
        "5:",
        "5:f",
        "uprobe:program:main",
        "uprobe:program:*",
        "uprobe:libc:getpid",
        "uprobe:/bin/true:0x10",
        "uprobe:no-such-file:main",
        "uprobe:fifo:main",
        "uprobe:program:main..uprobe:program:main%return",
        "uprobe:",
        "usdt:libstdcxx:catch..throw",
        "usdt:program:a..b",
        "usdt:",
        "..",
        "50us",
        "p99",
        "p100",
        "p99.9,time",
        "fd:0",
        "fd:9,9",
        "fd:",
        "fifo:none",
        "fifo:",
        "/",
        "no-such-group",
        "(",
        "[a-",
        "*",
        "prev_pid==0",
        "prev_pid==",
        "cpus_utilized",
        "cpus_utilized,",
        "L2",
        "L9",
        "true",
        "out",
        "cs:u",
        "cs:k",
        "cs:b",
        "cs:ub",
        "cs:S",
        "cs:uuu",
        "cs:D",
        "cs:W",
        "cs:",
        ":u",
        "{cs,page-faults}",
        "{cs,page-faults}:W",
        "{cs,{cs}}",
        "{cs",
        "cs}",
        "{}",
        "cs,,cs",
        "cs,",
        ",cs",
        "msr/tsc",
        "msr//",
        "msr/tsc=1/",
        "msr/event=0x/",
        "msr/event=0x00,umask=1/",
        "nosuch/tsc/",
        "sched:",
        "sched:nosuch",
        ":sched_switch",
        "sched:sched_sw*",
        "mem:",
        "mem:0x1000:rwxq",
        "mem:0x1000/9:w",
        "mem:nosuch",
        "rffffffffffffffff",
        "r",
        "rz",
        "user_time",
        "system_time,duration_time",
        "cs/name=a b/u",
        "cs/name=/",
        "cs//",
        "/cs/",
        "cycles:ppppp",
        "cpu/cycles,period=-1/",
        "hw",
        "sw",
        "metrics",
        "sched:*",
    ]
)
JUNK = [
    "", " ", "%s%n%n", "\x1b[31mred\x1b[0m", "\x9b31m", "\udcff\udcfe", "é", "\n", "\t", "a" * 5000,
    "," * 300, "{" * 300, "cs," * 200 + "cs", "..", "\\", "''", '"', "=", "--=", "-e=cs", "--event",
    "--event=", "--timeout=", "-I-5", "-x", "--", "cs" * 400
]
CHARACTERS = ",:={}[]()%-+*?._0179aekubxzW \x1b\xe9'\"\\"


class Maker:
    """Makes the line with this number. `pid` is a process that may be counted."""

    def __init__(self, seed, number, pid):
        self.random = random.Random(f"{seed} {number}")
        self.pid = str(pid)

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def pick(self, *things):
        return self.random.choice(things)

    # ---- valid lines ----

    def event(self):
        name = self.random.choice(EVENTS)
        return name + self.pick(":u", ":k", "", "") if name in SOFTWARE else name

    def events(self):
        """Returns options that choose events."""
        if self.chance(15):
            return self.pick(["-d"], [], ["-M", "cpus_utilized"])
        names = [self.event() for _ in range(self.random.randint(1, 4))]
        if len(names) > 1 and self.chance(20):
            names[:2] = [
                "{" + self.random.choice(SOFTWARE) + "," + self.random.choice(SOFTWARE) + "}" +
                self.pick("", ":u", ":W")
            ]
        return ["-e", ",".join(names)
                ] if self.chance(80) else [word for name in names for word in ("-e", name)]

    def limit(self):
        return self.pick(["--timeout", str(self.random.randint(1, 30))],
                         ["-I", "10", "--interval-count", "2"])

    def target(self):
        """Returns options that choose the target, the command that follows all options, and the
        exit status."""
        command, status = self.random.choice(COMMANDS) if self.chance(30) else COMMANDS[0]
        kind = self.random.randrange(8)
        if kind < 4:
            return [], command, status
        if kind == 4:
            return (
                [self.pick("-p", "-t"), self.pid, *self.limit(), *self.pick([], ["--per-thread"])],
                [],
                0,
            )
        cpus = self.pick(["-a"], ["-C", "0"])
        if kind == 5:
            return [*cpus, *self.pick([], [self.random.choice(OF_CPUS)])], command, status
        return [*cpus, *self.pick([], [], [self.random.choice(OF_CPUS)]), *self.limit()], [], 0

    def form(self):
        """Returns options that choose the output, and the form of the output."""
        form = self.pick("json", "csv", "text")
        options = {"json": ["-j"], "csv": ["-x", self.random.choice(SEPARATORS)], "text": []}[form]
        options += self.pick([], [], ["-o", "out"], ["-o", "out", "--append"])
        if form == "text":
            options += self.pick([], ["--no-big-num"], ["-B"], ["--no-scale"])
        return options, form

    def stat(self):
        first, command, status = self.target()
        output, form = self.form()
        options = [*first, *output, *self.events()]
        if command == ["true"] and not first and self.chance(20):
            options += self.pick(["-r", "2"], ["-i"], ["--pre", "true"], ["--post", "true"],
                                 ["--summary", "-I", "10"])
        words = [*self.pick(["stat"], []), *options, *(["--", *command] if command else [])]
        return words, status, form if status < 126 else None

    def profile(self):
        form = self.pick("json", "csv", "text")
        options = {
            "json": ["-j"], "csv": ["-x,"], "text": self.pick([], ["--folded"], ["--lines"])
        }[form]
        target = self.pick(["--", "true"], ["-a", "--timeout", "20"],
                           ["-p", self.pid, "--timeout", "20"])
        if "-p" in target or "--folded" in options:  # The profile may have no samples.
            form = None
        return ["profile", *options, "-e", self.pick("cpu-clock", "task-clock"), *target], 0, form

    def scope(self):
        form = self.pick("json", "csv", "text")
        options = {"json": ["-j"], "csv": ["-x", ","], "text": []}[form]
        scopes = [
            word
            for _ in range(self.random.randint(1, 2))
            for word in ("--scope", self.pick("uprobe:libc:getpid", "uprobe:libc:getp*id",
                                              "uprobe:libc:getpid..uprobe:libc:getuid"))
        ]
        target = self.pick(["--", "true"], ["--timeout", "20"], ["-p", self.pid, "--timeout", "20"])
        options += self.pick([], [], ["--hist"], ["--no-calibrate"], ["-A"], ["-r", "2"])
        if "-r" in options and "--timeout" in target:
            target = ["--", "true"]
        events = ",".join(["run_cnt", *self.pick([], ["scope-time"]), self.random.choice(SOFTWARE)])
        return [*options, *scopes, "-e", events, *target], 0, form

    def other(self):
        words = self.random.choice([["list", "sw"], ["list", "-j", "hw", "sw"], ["list", "-j"],
                                    ["list", "--check", "sw"], ["list", "-j", "--check", "tool"],
                                    ["list", "-v", "cache"], ["list", "--no-desc", "page-*"],
                                    ["list", "metrics"], ["list", "-j", "metricgroup"], ["progs"],
                                    ["progs", "-j"], ["progs", "-j", "type:xdp"],
                                    ["progs", "no_such_*"], ["--version"], ["--version", "-v"],
                                    ["--version", "-vv"], ["--help"], ["profile", "--usage"],
                                    ["list", "-h"], ["list", "--free"],
                                    ["list", "--free", "-j"]])
        return words, 0, "list" if words[0] in ("list", "progs") and "-j" in words else None

    def valid(self):
        kinds = [self.stat] * 7 + [self.profile, self.scope, self.other, self.other]
        return self.random.choice(kinds)()

    # ---- mistakes and random words ----

    def any_word(self):
        return self.random.choice([*FLAGS, *VALUED, *VALUES, *VALUES, *JUNK, self.pid])

    def misspell(self, word):
        at = self.random.randrange(len(word) + 1)
        char = self.random.choice(CHARACTERS)
        return self.pick(word[:at] + char + word[at:], word[:at] + word[at + 1:],
                         word[:at] + char + word[at + 1:],
                         word[:at] + word[at:at + 1] * 2 + word[at + 1:],
                         word[:at] + word[at + 1:at + 2] + word[at:at + 1] + word[at + 2:])

    def slip(self, words):
        at = self.random.randrange(len(words)) if words else 0
        what = self.random.randrange(8)
        if what < 3 and words:
            words[at] = self.misspell(words[at])
        elif what == 3:
            del words[at:at + 1]
        elif what == 4:
            words.insert(at, self.any_word())
        elif what == 5:
            words[at:at + 1] = [self.any_word()]
        elif what == 6:
            words[at:at] = self.option()
        else:
            words[at:at + 2] = reversed(words[at:at + 2])

    def option(self):
        if self.chance(40):
            return [self.random.choice(FLAGS)]
        name, value = self.random.choice(VALUED), self.random.choice(VALUES + JUNK)
        return [f"{name}={value}"] if name.startswith("--") and self.chance(40) else [name, value]

    def heap(self):
        return [
            word
            for _ in range(self.random.randint(1, 5))
            for word in (self.option() if self.chance(60) else [self.any_word()])
        ]

    def line(self):
        kind = self.pick("valid", "slip", "slip", "heap")
        words, status, form = self.valid()
        if kind == "slip":
            for _ in range(self.random.randint(1, 2)):
                self.slip(words)
        elif kind == "heap":
            words = self.pick([], [], ["profile"], ["list"], ["progs"]) + self.heap() + self.pick(
                [], ["true"])
        return Line([word.replace("\0", "") for word in words], kind, status, form)
