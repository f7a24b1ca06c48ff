# SPDX-License-Identifier: GPL-2.0-only
"""
Folders of --events-dir whose models refer to events and metrics of the architecture (ArchStdEvent),
on an imitated Ice Lake.
"""

import json

import pytest

from native import PSTAT

STANDARDS = [
    {"EventName": "STD_ONE", "EventCode": "0x11", "UMask": "0x2", "BriefDescription": "the first"},
    {"BriefDescription": "an object without a name"},
    {"EventName": "x" * 300, "EventCode": "0x14"},
    {"EventName": "STD_TWO", "EventCode": "0x12", "UMask": "0x3", "BriefDescription": "the second"},
    {"MetricName": "std_ratio", "MetricExpr": "STD_ONE / STD_TWO", "MetricGroup": "Standard"},
]
# Names are not case-sensitive. The model has its own descriptions, but not the code.
MODEL = [{"ArchStdEvent": "std_one"}, {"ArchStdEvent": "Std_Two", "BriefDescription": "as here"},
         {"ArchStdEvent": "STD_RATIO"}]


@pytest.fixture(name="folder")
def vendor_folder(tmp_path):
    """Makes a folder as in the kernel's source, with the standards in two files."""
    model = tmp_path / "x86/lake"
    model.mkdir(parents=True)
    (tmp_path / "x86/mapfile.csv").write_text(
        "Family-model,Version,Filename,EventType\nGenuineIntel-6-6A,v1,lake,core\n",
        encoding="utf-8")
    (tmp_path / "x86/first.json").write_text(json.dumps(STANDARDS[:2]), encoding="utf-8")
    (tmp_path / "x86/second.json").write_text(json.dumps(STANDARDS[2:]), encoding="utf-8")
    (model / "all.json").write_text(json.dumps(MODEL), encoding="utf-8")
    return tmp_path


def test_events_and_metrics_of_the_architecture_are_found_by_names_in_any_case(icelake, folder):
    done, log = icelake.attrs([PSTAT, f"--events-dir={folder}", "-x,", "-e", "std_one,STD_TWO",
                               "-M", "Standard", "true"])
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in done.stderr.splitlines()]
    assert [row[2] for row in rows[:2]] == ["std_one", "STD_TWO"]
    counts = {row[2].lower(): int(row[0]) for row in rows}
    values = [row for row in rows if row[-1] == "std_ratio"]
    assert [row[-2] for row in values] == [f"{counts['std_one'] / counts['std_two']:.2f}"], rows
    configs = {word for line in log for word in line.split() if word.startswith("config=")}
    assert configs == {"config=0x211", "config=0x312"}, log


def test_the_model_s_description_replaces_that_of_the_architecture(icelake, folder):
    listed = icelake.run([PSTAT, "list", f"--events-dir={folder}", "std_*"])
    assert "the first" in listed.stdout and "as here" in listed.stdout, listed.stdout
    assert "the second" not in listed.stdout


def test_a_standard_that_the_architecture_does_not_have_is_not_an_event(icelake, folder):
    (folder / "x86/second.json").unlink()
    done = icelake.run([PSTAT, f"--events-dir={folder}", "-x,", "-e", "std_one", "true"])
    assert done.returncode == 0, done.stderr
    done = icelake.run([PSTAT, f"--events-dir={folder}", "-e", "std_two", "true"])
    assert done.returncode == 129 and "std_two" in done.stderr, done.stderr
    # Names in the model's own objects are not standards of the architecture.
    (folder / "x86/lake/more.json").write_text(json.dumps([STANDARDS[3]]), encoding="utf-8")
    done = icelake.run([PSTAT, f"--events-dir={folder}", "-x,", "-e", "std_two", "true"])
    assert done.returncode == 0 and done.stderr.split(",")[2] == "std_two", done.stderr
