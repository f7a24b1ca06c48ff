# SPDX-License-Identifier: GPL-2.0-only
"""Variants of imitated hybrid machines: older kernels, cores that are offline, one kind of core
only."""

import json
import re
import sys

import pytest

from native import PSTAT, TOP, csv_rows

sys.path.insert(0, str(TOP / "tests/imitated"))
import cases  # noqa: E402 pylint: disable=wrong-import-position
import imitated  # noqa: E402 pylint: disable=wrong-import-position

ARM = ("armv8_cortex_a53", "armv8_cortex_a72")


@pytest.fixture
def variant(monkeypatch, tmp_path):
    """Copies the named machine and changes its description by replacements."""
    if imitated.why_not():
        pytest.skip(f"probe: unshare --mount true: {imitated.why_not()}")
    made = []

    def make(name, *replacements):
        text = (imitated.MACHINES / f"{name}.txt").read_text(encoding="utf-8")
        for old, new in replacements:
            text, nr = re.subn(old, new, text, flags=re.S)
            assert nr, old
        (tmp_path / "variant.txt").write_text(text, encoding="utf-8")
        monkeypatch.setattr(imitated, "MACHINES", tmp_path)
        made.append(imitated.Imitation("variant"))
        return made[-1].__enter__()

    yield make
    for machine in made:
        machine.__exit__()


def rows_of(machine, *args):
    """Returns ({event: value}, lines of attrs) of pstat -x,."""
    done, log = machine.attrs([PSTAT, "stat", "-x,", *args, "true"])
    assert done.returncode == 0, done.stderr
    return {row[2]: row[0] for row in csv_rows(done.stderr)}, cases.attrs_of(log)


def test_on_a_kernel_that_does_not_accept_pmu_types_a_hardware_event_is_opened_once(variant):
    machine = variant("biglittle", (r"kernel.extended: 1\n", ""))
    rows, attrs = rows_of(machine, "-a", "-e", "cycles")
    assert list(rows) == ["cycles"] and rows["cycles"].isdigit()
    assert attrs == ["0:0x0 exclude_guest=0x1 pid=all cpus=0-5"]
    rows, attrs = rows_of(machine, "-e", f"{ARM[1]}/cycles/,{ARM[1]}/cpu_cycles/")
    assert all(value.isdigit() for value in rows.values())
    assert "9:0x11 exclude_guest=0x1 pid=task1 cpus=any" in attrs


def test_if_one_kind_of_core_is_offline_the_other_is_counted(variant):
    machine = variant("alderlake", (r"\[cpus 16-23\].*?\n\n", ""),
                      (r"(\[cpu_atom\]\ntype: 10\ncpus:) 16-23", r"\1"))
    rows, _ = rows_of(machine, "-a", "-e", "cycles,r3c")
    assert rows["cpu_core/cycles/"].isdigit() and rows["cpu_core/r3c/"].isdigit()
    assert rows["cpu_atom/cycles/"] == "<not supported>"


def test_one_core_pmu_with_a_list_of_cpus_is_not_a_hybrid_machine(variant):
    machine = variant("biglittle", (rf"\[{ARM[1]}\].*?\n\n", ""), (ARM[0], "armv8_pmuv3_0"),
                      (r"\ncpus: 0-3", "\ncpus: 0-5"))
    rows, attrs = rows_of(machine, "-a", "-e", "cycles,r11,L1-dcache-loads")
    assert list(rows) == ["cycles", "r11", "L1-dcache-loads"]
    assert "0:0x0 exclude_guest=0x1 pid=all cpus=0-5" in attrs


def metric_lines(machine, *args):
    """Returns [(event, its value, value of the metric)] for the rows that show a metric of -M."""
    done, _ = machine.attrs([PSTAT, "stat", "-x,", "-a", *args, "true"])
    assert done.returncode == 0, done.stderr
    found, last = [], None
    for row in csv_rows(done.stderr):
        if row[0]:
            last = (row[2], row[0])
        else:
            found.append((*last, row[5]))
    return found, {row[2]: int(row[0]) for row in csv_rows(done.stderr) if row[0].isdigit()}


@pytest.mark.parametrize("options,pmus", [([], ["cpu_core", "cpu_atom"]),
                                          (["--cputype", "atom"], ["cpu_atom"])])
def test_each_core_pmu_has_its_own_figure_of_a_metric(variant, options, pmus):
    lines, counts = metric_lines(variant("alderlake"), *options, "-M", "ipc")
    assert sorted(counts) == sorted(f"{pmu}/{event}/" for pmu in pmus
                                    for event in ("cycles", "instructions"))
    assert lines == [(f"{pmu}/instructions/", str(counts[f"{pmu}/instructions/"]),
                      f"{counts[f'{pmu}/instructions/'] / counts[f'{pmu}/cycles/']:.2f}".rjust(4))
                     for pmu in pmus]


def test_a_vendors_metric_without_a_pmu_is_shown_once_as_by_perf(variant, tmp_path):
    folder = tmp_path / "events/x86/lake"
    folder.mkdir(parents=True)
    (folder.parent / "mapfile.csv").write_text("Family-model,Version,Filename,EventType\n"
                                               "GenuineIntel-6-97,v1,lake,core\n", encoding="utf-8")
    (folder / "m.json").write_text(
        """[{"MetricName": "v", "MetricExpr": "instructions / cycles"}]""", encoding="utf-8")
    done = variant("alderlake").run(
        [PSTAT, "stat", "-a", "-x,", "--events-dir", tmp_path / "events", "-M", "v", "true"])
    rows = [line.split(",") for line in done.stderr.splitlines()]
    counts = {row[2]: int(row[0]) for row in rows if row[0].isdigit()}
    assert sum("v" in row for row in rows) == 1, done.stderr
    value = next(row[5] for row in rows if row[-1] == "v")
    first = next(name for name in counts if name.endswith("/cycles/")).split("/")[0]
    assert value == f"{counts[f'{first}/instructions/'] / counts[f'{first}/cycles/']:.2f}"


def test_cputype_omits_the_metrics_of_the_other_core_pmu(variant, tmp_path):
    (tmp_path / "metrics.json").write_text(
        """[
        {"MetricName": "m", "MetricExpr": "cpu_core@event\\\\=1@", "Unit": "cpu_core"},
        {"MetricName": "m", "MetricExpr": "cpu_atom@event\\\\=2@", "Unit": "cpu_atom"}]""",
        encoding="utf-8",
    )
    _, counts = metric_lines(variant("alderlake"), "-M", "m", "--metrics-file",
                             tmp_path / "metrics.json", "--cputype", "core")
    assert list(counts) == ["cpu_core/event=1/"]


def test_the_free_counters_of_each_kind_of_core_are_listed(variant):
    machine = variant("alderlake", (r"^", ""))
    done = machine.run([PSTAT, "list", "--free", "-j"])
    rows = [row for row in json.loads(done.stdout) if "counters" in row]
    assert {(row["pmu"], row["counters"], row["free"]) for row in rows} == {
        ("cpu_core", 8, 8), ("cpu_atom", 6, 6)}, done.stdout
    for pmu, cpus in (("cpu_core", range(16)), ("cpu_atom", range(16, 24))):
        assert [row["cpu"] for row in rows if row["pmu"] == pmu] == list(cpus)
