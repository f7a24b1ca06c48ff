# SPDX-License-Identifier: GPL-2.0-only
"""Vendors' events: packed by scripts/pack-events, installed, and read again. The results are
compared with perf's."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import jevents
from native import BUILD, CONFLICT, IN_C, PSTAT, USAGE, run

TOP = pathlib.Path(__file__).resolve().parents[2]
PACK = TOP / "scripts/pack-events"
READER = BUILD / ".build/tests/unit/vendor-events"
HINT = ("the names of vendors' events are not installed\n"
        "install the package pstat-events, or run `make install-events` in pstat's source\n")
LAKE, SMALL, BIG = "GenuineIntel-6-55-7", "0x00000000410fd034", "0x00000000410fd080"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Makes a copy of tests/data/vendor without files that are not JSON."""
    folder = tmp_path_factory.mktemp("source") / "arch"
    shutil.copytree(TOP / "tests/data/vendor", folder,
                    ignore=shutil.ignore_patterns("broken.json", "empty.json"))
    return folder


def pack(source, folder, *architectures):
    return subprocess.run([PACK, source, folder, *architectures], capture_output=True, text=True,
                          check=False)


@pytest.fixture(scope="module")
def packed(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("packed")
    done = pack(source, folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


def read(folder, *cpus):
    """Returns a sorted list of the events and metrics that pstat's reader finds for each CPU."""
    done = subprocess.run([READER, folder, *cpus], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("cpu "):
            rows = found.setdefault(line[4:], [])
        else:
            row = json.loads(line)
            if "terms" in row:
                row["terms"] = [list(term) for term in jevents.terms_of(row["terms"])]
            rows.append(json.dumps(row, sort_keys=True))
    return {cpu: sorted(rows) for cpu, rows in found.items()}


def test_a_packed_file_has_the_contents_of_the_files_from_which_it_was_made(source, packed):
    cpus = (LAKE, SMALL, BIG, "AuthenticAMD-25-1-0")
    found = read(packed, *cpus)
    assert sum("soc_reads" in row for row in found[SMALL]) == 1, "these events are for all CPUs"
    models = {cpu: [row for row in rows if "soc_" not in row] for cpu, rows in found.items()}
    assert models == read(source, *cpus)
    assert min(map(len, found.values())) >= 4


def test_the_same_source_gives_the_same_bytes_for_each_architecture(source, packed, tmp_path):
    assert pack(source, tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm64.events", "x86.events"]
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (packed / path.name).read_bytes()
        assert path.read_bytes().startswith(b"pstat events 1\nmodel 1 ")
    assert pack(source, tmp_path / "one", "arm64").returncode == 0
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["arm64.events"]


def test_a_tree_and_a_tarball_of_it_give_the_same_file_with_the_version_of_linux(source, tmp_path):
    tree = tmp_path / "linux-source-9.8"
    shutil.copytree(source, tree / "tools/perf/pmu-events/arch")
    (tree / "Makefile").write_text("VERSION = 9\nPATCHLEVEL = 8\nSUBLEVEL = 7\n", encoding="ascii")
    tarball = tmp_path / "linux.tar.xz"
    subprocess.run(["tar", "-cJf", tarball, "-C", tmp_path, tree.name], check=True)
    for given, folder in ((tree, tmp_path / "a"), (tarball, tmp_path / "b")):
        assert pack(given, folder).returncode == 0
    first, second = ((tmp_path / name / "x86.events").read_bytes() for name in "ab")
    assert first == second
    assert first.startswith(b"pstat events 1\nfrom Linux 9.8.7\nmodel 1 ")


@pytest.mark.parametrize("file, content, said", [
    ("x86/lake/more.json", "[{", "more.json"),
    ("x86/lake/more.json", '[{"ArchStdEvent": "NOBODY_S"}]', "no ArchStdEvent NOBODY_S"),
    ("x86/lake/more.json", '[{"EventName": "A\\tB"}]', "'a\\tb' has a control character in it"),
    (None, None, "has neither"),
])
def test_files_that_cannot_be_packed_are_named(source, tmp_path, file, content, said):
    folder = tmp_path / "arch"
    if file:
        shutil.copytree(source, folder)
        (folder / file).write_text(content, encoding="ascii")
    else:
        folder.mkdir()
    done = pack(folder, tmp_path / "out")
    assert done.returncode and said in done.stderr.splitlines()[-1], done.stderr
    done = pack(tmp_path / "none", tmp_path / "out")
    assert done.stderr.endswith("none: there is no such file or folder\n")


LAKE_METRICS = [
    {"MetricName": "lake_ipc", "MetricExpr": "instructions / cycles", "MetricGroup": "Lakes",
     "BriefDescription": "Instructions per cycle of a lake."},
    {"MetricName": "lake_faults", "MetricExpr": "page\\-faults * 2", "MetricGroup": "Lakes"},
]


@pytest.fixture(scope="module")
def installed(source, tmp_path_factory):
    """Installs pstat and events for the CPU of this machine below a prefix."""
    prefix = tmp_path_factory.mktemp("prefix")
    events = tmp_path_factory.mktemp("any") / "arch"
    shutil.copytree(source, events)
    (events / "x86/mapfile.csv").write_text("Family-model,Version,Filename,EventType\n"
                                            ".*,v1,lake,core\n", encoding="ascii")
    (events / "x86/lake/more.json").write_text(json.dumps(LAKE_METRICS), encoding="ascii")
    (events / "x86/lake/metricgroups.json").write_text('{"Lakes": "What lakes do"}',
                                                       encoding="ascii")
    done = subprocess.run(["make", "-s", "install-events", f"EVENTS_SOURCE={events}",
                           f"O={prefix}/build", f"DESTDIR={prefix}", "prefix=/opt"], cwd=TOP,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (prefix / "opt/bin").mkdir()
    shutil.copy(PSTAT, prefix / "opt/bin")
    return prefix / "opt"


def run_installed(prefix, *argv, **environment):
    return subprocess.run([prefix / "bin/pstat", *argv], capture_output=True, text=True,
                          check=False, env={**os.environ, **IN_C, **environment})


def needs_x86():
    if os.uname().machine != "x86_64":
        pytest.skip("the events of this test are for x86 CPUs")


def test_events_that_are_installed_with_the_command_are_used_by_default(installed, packed):
    needs_x86()
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file()}
    assert files == {"bin/pstat", "share/pstat/events/arm64.events",
                     "share/pstat/events/x86.events"}
    done = run_installed(installed, "list", "--no-desc", "metrics", "lake_*")
    assert (done.returncode, done.stdout.split()) == (0, ["lake_faults", "lake_ipc"]), done.stderr
    groups = run_installed(installed, "list", "metricgroup", "lakes").stdout
    assert groups.lower().endswith("  lakes\n       [what lakes do]\n"
                                   "       [lake_faults, lake_ipc]\n")
    done = run_installed(installed, "stat", "-x,", "-M", "lake_faults", "true")
    assert done.returncode == 0
    faults, metric = done.stderr.split(",")[0], done.stderr.split(",")[5]
    assert float(metric) == 2 * int(faults)
    for given in ({"PSTAT_EVENTS": ""}, {"PSTAT_EVENTS": str(packed)}):
        done = run_installed(installed, "stat", "-M", "lake_faults", "true", **given)
        assert done.returncode == CONFLICT


def test_a_users_file_of_metrics_replaces_the_vendors_file_of_the_same_name(installed, tmp_path):
    needs_x86()
    mine = tmp_path / "mine.json"
    mine.write_text('[{"MetricName": "lake_faults", "MetricExpr": "page\\\\-faults * 3"}]',
                    encoding="ascii")
    done = run_installed(installed, "stat", "-x,", "-M", "lake_faults", "--metrics-file", mine,
                         "true")
    assert float(done.stderr.split(",")[5]) == 3 * int(done.stderr.split(",")[0])


def test_an_unknown_name_of_a_vendor_is_refused_with_advice_on_installing_events(installed):
    for name in ("inst_retired.any", "L1D_CACHE_REFILL", "cpu/inst_retired.any/"):
        done = run("-e", name, "true")
        assert done.returncode == USAGE
        assert ("\n\n" + HINT) in done.stderr or name.startswith("cpu/"), done.stderr
    assert HINT not in run("-e", "context_switches", "true").stderr, "pstat has a similar name"
    assert HINT not in run("-e", "nosuch", "true").stderr
    done = run("-M", "TopdownL1", "true")
    assert done.returncode == CONFLICT
    assert done.stderr.endswith("pstat: " + HINT.replace("\n", "\n       ", 1))
    done = run_installed(installed, "stat", "-e", "inst_retired.nosuch", "true")
    assert done.returncode == USAGE and HINT not in done.stderr


@pytest.mark.parametrize("content, said", [
    (b"", "x86.events: its header does not end"),
    (b"pstat events 1\nblock event 0 9 9 a\nmodel 1 .*\n\n",
     "x86.events: the block that begins with 'a' is damaged"),
])
def test_a_damaged_file_is_named_and_nothing_else_is_affected(tmp_path, content, said):
    needs_x86()
    (tmp_path / "x86.events").write_bytes(content)
    done = run("--events-dir", tmp_path, "-e", "inst_retired.nosuch", "true")
    assert done.returncode == USAGE and said in done.stderr, done.stderr
    done = run("--events-dir", tmp_path, "-M", "ipc", "-e", "cs", "true")
    assert "Not a directory" not in done.stderr and "Cannot find metric" not in done.stderr
    assert run("--events-dir", tmp_path, "-e", "cs", "true").stderr.count("x86.events") == 0


def kernel_source(folder):
    """Returns tools/perf/pmu-events of Debian's package linux-source."""
    found = sorted(pathlib.Path("/usr/src").glob("linux-source-*.tar.xz"))
    if not found:
        pytest.skip("no linux-source-*.tar.xz in /usr/src: `make deps-events` installs one")
    subprocess.run(["tar", "-xf", found[-1], "-C", folder, "--strip-components=1", "--wildcards",
                    "--no-wildcards-match-slash", "*/Makefile", "*/tools/perf/pmu-events"],
                   check=True)
    return folder / "tools/perf/pmu-events"


@pytest.mark.skipif(not os.environ.get("PSTAT_LONG"), reason="PSTAT_LONG=1: it takes a minute")
def test_every_event_and_metric_of_every_model_is_what_perfs_build_makes_of_it(tmp_path):
    """Compares names, PMUs, terms, units and descriptions in 57000 rows, but not the sampling
    period."""
    events = kernel_source(tmp_path)
    module = jevents.load(events)
    folder = tmp_path / "packed"
    assert pack(tmp_path, folder).returncode == 0
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1 << 20
    nr = 0
    for arch in ("x86", "arm64"):
        architecture = jevents.Architecture(module, events / "arch" / arch)
        cpus = architecture.cpus()
        assert set(cpus) == {model for _, model in architecture.patterns}
        systems = list(architecture.systems())
        found = read(folder, *cpus.values())
        for model, cpu in cpus.items():
            rows = [*architecture.rows(events / "arch" / arch / model), *systems]
            expected = {json.dumps(row, sort_keys=True) for row in rows}
            assert set(found[cpu]) == expected, model
            nr += len(expected)
    assert nr > 40000


@pytest.mark.parametrize("words", [["-e", "nosuch"], ["-d"], ["-M", "nosuch"], ["--topdown"],
                                   ["-T"], ["-e", "cs", "-M", "ipc", "-e", "faults"]], ids=" ".join)
@pytest.mark.parametrize("spoil, reason", [
    (lambda path: path.write_text("no pack\n", encoding="ascii"), "its header does not end"),
    (lambda path: path.mkdir(), "not a regular file, or too large")], ids=["text", "folder"])
def test_a_packed_file_that_cannot_be_read_is_named_once(tmp_path, words, spoil, reason):
    for arch in ("x86", "arm64"):
        spoil(tmp_path / f"{arch}.events")
    done = run("--events-dir", tmp_path, *words, "true")
    said = [line for line in done.stderr.splitlines()
            if line.startswith("pstat: ") and not line.startswith("pstat: not counted: ")]
    assert [re.sub(r"\w+\.events", "PACK", line)
            for line in said] == [f"pstat: {tmp_path}/PACK: {reason}"]
