# SPDX-License-Identifier: GPL-2.0-only
"""
Imitated machines: a mount namespace with the files of machines/NAME.txt, and a preloaded library
that answers perf_event_open(2) as that machine's kernel does.
"""

import ctypes
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / os.environ.get("O", "")
SHIM = BUILD / ".build/tests/imitated/shim.so"
MACHINES = pathlib.Path(__file__).resolve().parent / "machines"
PSTAT = os.environ.get("PSTAT", str(BUILD / "pstat"))

CLONE_NEWNS = 0x20000  # linux/sched.h
LIBC = ctypes.CDLL(None, use_errno=True)
PMUS = "sys/bus/event_source/devices"
CPUS = "sys/devices/system/cpu"
# Directories and files that are mounted over those of the host. Everything else in /sys and /proc
# is the host's.
TRACEPOINTS = "sys/kernel/tracing/events"
REPLACED = (PMUS, TRACEPOINTS, "sys/devices/system", "proc/cpuinfo",
            "proc/sys/kernel/nmi_watchdog", "proc/sys/kernel/perf_event_paranoid")
# All machines have the same tracepoints, in the form of tracefs: {SYSTEM/NAME: id}.
TRACEPOINT_IDS = {"sched/sched_switch": 316, "sched/sched_wakeup": 319,
                  "syscalls/sys_enter_close": 771, "syscalls/sys_enter_openat": 782,
                  "syscalls/sys_exit_openat": 781}
FORMAT = """name: {name}
ID: {number}
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;

print fmt: "number: %d", REC->number
"""
# Lines kernel.KEY of a PMU that the imitated kernel reads unchanged.
VALUES = ("driver", "hardware", "cache", "configs", "counters", "fixed", "topdown")
FLAGS = ("extended", "stays")
PLACES = ("package", "die", "cluster", "core", "node", "l1", "l2", "l3")


class Error(Exception):
    """Raised if a machine cannot be imitated. The text is the reason."""


def list_of(cpus):
    """Formats CPU numbers as the kernel does: 0-3,8."""
    runs = []
    for cpu in sorted(cpus):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def ids_of(text):
    """Parses a list of CPU numbers in the kernel's format."""
    ids = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


def mask_of(cpus):
    """Formats CPU numbers as a mask of the kernel: words of 32 bits."""
    bits = sum(1 << cpu for cpu in cpus)
    words = []
    while bits or not words:
        words.insert(0, f"{bits & 0xffffffff:08x}")
        bits >>= 32
    return ",".join(words)


def calculated(expression, n, cpu):
    """Evaluates an expression of integers, + - * / %, and the variables n and cpu."""
    if not re.fullmatch(r"[-+*/%()0-9 ]+", re.sub(r"\b(n|cpu)\b", "0", expression)):
        raise Error(f"not an expression of n and cpu: {expression}")
    names_of = {"n": n, "cpu": cpu}
    return eval(expression.replace("/", "//"), {"__builtins__": {}}, names_of)


class Machine:
    """A machine's description: its files, CPUs and PMUs."""

    def __init__(self, name):
        self.name = name
        self.files = {}  # path below the root: text
        self.cpus = {}  # id: {"package": …, "core": …}
        self.pmus = {}  # name: {KEY of kernel.KEY: value}
        self.cpuid = None
        self._read(MACHINES / f"{name}.txt")
        for cpu in self.cpus:
            self._place(cpu)
        self._nodes()
        self._lists()

    def _read(self, path):
        if not path.exists():
            raise Error(f"no machine {self.name}; there are {', '.join(names())}")
        prefix, cpus, pmu = "", None, None
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            section = re.fullmatch(r"\[(.*)\]", line)
            if section:
                cpus = ids_of(section[1][5:]) if section[1].startswith("cpus ") else None
                pmu = None if cpus or section[1] == "/" else self.pmus.setdefault(section[1], {})
                prefix = f"{PMUS}/{section[1]}/" if pmu is not None else ""
                continue
            key, text = re.match(r"(.*?):(?: |$)(.*)", line).groups()
            text = text.replace("\\n", "\n")
            if cpus:
                self._cpus_line(cpus, key, text)
            elif key == "perf-cpuid":
                self.cpuid = text
            elif pmu is not None and key.startswith("kernel."):
                pmu[key[7:]] = text
            else:
                self.files[prefix + key] = text + "\n" if text else ""
                if pmu is not None and key in ("type", "cpus", "cpumask"):
                    pmu[key] = text

    def _cpus_line(self, cpus, key, text):
        for n, cpu in enumerate(cpus):
            if key in PLACES:
                self.cpus.setdefault(cpu, {})[key] = calculated(text, n, cpu)
            else:
                self.files[f"{CPUS}/cpu{cpu}/{key}"] = text + "\n"

    def same(self, cpu, *places):
        """Returns the CPUs that are in the same place as this one."""
        here = self.cpus[cpu]
        return [other for other, at in self.cpus.items()
                if all(at.get(place) == here.get(place) for place in places)]

    def _place(self, cpu):
        at, folder = self.cpus[cpu], f"{CPUS}/cpu{cpu}"
        scopes = {"package": ("package",), "die": ("package", "die"),
                  "cluster": ("package", "cluster"), "core": ("package", "die", "core")}
        ids = {"physical_package_id": "package", "die_id": "die", "cluster_id": "cluster",
               "core_id": "core"}
        for name, place in ids.items():
            if place in at:
                self.files[f"{folder}/topology/{name}"] = f"{at[place]}\n"
        for scope, places in scopes.items():
            if scope not in at:
                continue
            cpus = self.same(cpu, *places)
            older = {"core": ["thread_siblings"], "package": ["core_siblings"]}.get(scope, [])
            for name in [f"{scope}_cpus", *older]:
                self.files[f"{folder}/topology/{name}"] = mask_of(cpus) + "\n"
                self.files[f"{folder}/topology/{name}_list"] = list_of(cpus) + "\n"
        self.files[f"{folder}/online"] = "1\n"
        caches = [("l1", 1, "Data"), ("l1", 1, "Instruction"), ("l2", 2, "Unified"),
                  ("l3", 3, "Unified")]
        caches = [cache for cache in caches if cache[0] in at]
        for index, (place, level, kind) in enumerate(caches):
            shared = self.same(cpu, place)
            cache = {"level": level, "type": kind, "id": at[place], "size": "32K",
                     "coherency_line_size": 64, "number_of_sets": 64, "ways_of_associativity": 8,
                     "shared_cpu_list": list_of(shared), "shared_cpu_map": mask_of(shared)}
            for name, value in cache.items():
                self.files[f"{folder}/cache/index{index}/{name}"] = f"{value}\n"

    def _nodes(self):
        root = "sys/devices/system/node"
        nodes = sorted({at["node"] for at in self.cpus.values()})
        for name in ("online", "possible", "has_cpu", "has_memory", "has_normal_memory"):
            self.files[f"{root}/{name}"] = list_of(nodes) + "\n"
        for node in nodes:
            cpus = [cpu for cpu, at in self.cpus.items() if at["node"] == node]
            self.files[f"{root}/node{node}/cpulist"] = list_of(cpus) + "\n"
            self.files[f"{root}/node{node}/cpumap"] = mask_of(cpus) + "\n"
            self.files[f"{root}/node{node}/meminfo"] = (
                f"Node {node} MemTotal:        1048576 kB\n"
                f"Node {node} MemFree:          524288 kB\n")

    def _lists(self):
        for name in ("online", "possible", "present"):
            self.files.setdefault(f"{CPUS}/{name}", list_of(self.cpus) + "\n")
        # perf lists tracepoints in the order of readdir(3), and tmpfs shows the newest first.
        for name, number in sorted(TRACEPOINT_IDS.items(), reverse=True):
            folder = f"{TRACEPOINTS}/{name}"
            self.files[f"{folder}/id"] = f"{number}\n"
            self.files[f"{folder}/format"] = FORMAT.format(name=name.split("/")[1], number=number)
        self.files.setdefault("proc/cpuinfo", "processor\t: 0\n\n")
        self.files.setdefault("proc/sys/kernel/nmi_watchdog", "0\n")
        self.files.setdefault("proc/sys/kernel/perf_event_paranoid", "2\n")

    def _moves(self, pmu):
        """Returns, for each CPU, the CPU that counts for it: the CPU of the mask that is in the
        same place."""
        scope = {"package": ("package",), "die": ("package", "die"), "l3": ("l3",),
                 "core": ("package", "die", "core")}
        mask = ids_of(pmu["cpumask"])
        moves = []
        for cpu in range(max(self.cpus) + 1):
            there = self.same(cpu, *scope[pmu.get("scope", "package")]) if cpu in self.cpus else []
            moves.append(next((other for other in mask if other in there), -1))
        return ",".join(map(str, moves))

    def kernel(self):
        """Returns the text that the preloaded library reads: see kernel.h."""
        lines = [f"cpus {list_of(self.cpus)}"]
        for name, pmu in self.pmus.items():
            core = name == "cpu" or "cpus" in pmu
            by_files = "core" if core else "uncore" if "cpumask" in pmu else "software"
            kind = pmu.get("kind", by_files)
            words = [f"pmu {name} type={pmu['type']} kind={kind}"]
            if kind == "core":
                # Without a file cpus, the driver does not check the CPU.
                words.append(f"cpus={pmu.get('cpus', '0-1023')}")
            if kind == "uncore":
                words.append(f"moves={self._moves(pmu)}")
            words += [f"{key}={pmu[key]}" for key in VALUES if key in pmu]
            words += [key for key in FLAGS if key in pmu]
            lines.append(" ".join(words))
        return "\n".join(lines) + "\n"

    def write(self, root):
        """Writes the machine's files below @root, and the description of its kernel as "kernel"."""
        for path, text in [*self.files.items(), ("kernel", self.kernel())]:
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        for cpu, at in self.cpus.items():
            node = root / f"sys/devices/system/node/node{at['node']}"
            (node / f"cpu{cpu}").symlink_to(f"../../cpu/cpu{cpu}")


def names():
    """Returns the names of all machines."""
    return sorted(path.stem for path in MACHINES.glob("*.txt"))


def why_not():
    """Returns None if machines can be imitated, otherwise the reason."""
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True,
                          check=False)
    return done.stderr.strip() or None if done.returncode else None


def _mounted(root):
    if not pathlib.Path("/", TRACEPOINTS).exists():
        subprocess.run(["mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing"], check=True)
    # a directory for the locks of sessions on the imitated machine
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run"], check=True)
    for path in REPLACED:
        if (root / path).exists() and pathlib.Path("/", path).exists():
            subprocess.run(["mount", "--bind", root / path, f"/{path}"], check=True)


class Imitation:
    """ Runs commands on a machine: `with Imitation("icelake") as machine: machine.run([PSTAT, …])`.
    """

    def __init__(self, name):
        self.machine = Machine(name)
        self._folder = None
        self._holder = None
        self._namespace = None

    def __enter__(self):
        if not SHIM.exists():
            raise Error(f"{SHIM} is missing: make imitated-shim")
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="pstat-imitated-"))
        ready, inside = os.pipe()
        self._holder = os.fork()
        if not self._holder:
            self._hold(inside)
        os.close(inside)
        said = os.read(ready, 1)
        os.close(ready)
        if not said:
            self.__exit__()
            raise Error("cannot make a mount namespace: unshare(2) and mount(8) need root")
        self._namespace = os.open(f"/proc/{self._holder}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        return self

    def _hold(self, inside):
        """Starts a child process. Commands enter its namespace. It ends when this process ends."""
        try:
            LIBC.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
            if LIBC.unshare(CLONE_NEWNS):
                os._exit(1)
            subprocess.run(["mount", "--make-rprivate", "/"], check=True)
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self._folder], check=True)
            self.machine.write(self._folder)
            _mounted(self._folder)
            os.write(inside, b".")
            os.close(inside)
            while True:
                signal.pause()
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"imitated: {error}", file=sys.stderr)
        finally:
            os._exit(1)

    def __exit__(self, *_):
        if self._namespace is not None:
            os.close(self._namespace)
        os.kill(self._holder, signal.SIGKILL)
        os.waitpid(self._holder, 0)
        self._folder.rmdir()

    def env(self, log=None):
        """Returns the environment of commands on this machine."""
        env = {**os.environ, "LC_ALL": "C", "PERF_CONFIG": "", "LD_PRELOAD": str(SHIM),
               "IMITATED_KERNEL": str(self._folder / "kernel")}
        if self.machine.cpuid:
            env["PERF_CPUID"] = self.machine.cpuid
        if log:
            env["IMITATED_LOG"] = str(log)
        return env

    def enter(self):
        """For preexec_fn: moves the process to this machine."""
        if LIBC.setns(self._namespace, CLONE_NEWNS):
            os._exit(126)
        os.chdir(self._cwd)

    _cwd = "/"

    def run(self, argv, log=None, env=None, **options):
        """Runs a command to its end, like subprocess.run()."""
        self._cwd = os.getcwd()
        options = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "timeout": 60,
                   "check": False, **options}
        return subprocess.run(list(map(str, argv)), env={**self.env(log), **(env or {})},
                              preexec_fn=self.enter, **options)

    def attrs(self, argv, env=None):
        """Returns (process, lines of IMITATED_LOG), with a clock that does not depend on this
        machine."""
        with tempfile.NamedTemporaryFile(prefix="pstat-imitated-log-") as log:
            done = self.run(argv, log=log.name, env={"IMITATED_CLOCK": "1", **(env or {})})
            return done, log.read().decode().splitlines()
