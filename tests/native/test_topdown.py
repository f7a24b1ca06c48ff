# SPDX-License-Identifier: GPL-2.0-only
"""--topdown, --td-level and -T on imitated machines, with metrics that the test defines."""

import json
import subprocess

import pytest

from native import CONFLICT, PSTAT, TOP, USAGE

METRICS = TOP / "tests/data/metrics/topdown.json"
NONE = ("Topdown requested but the topdown metric groups aren't present.\n"
        "(See perf list the metric groups have names like TopdownL1)\n")


def pstat(machine, *arguments, metrics=METRICS):
    return machine.run([PSTAT, f"--metrics-file={metrics}", *arguments, "true"])


def test_pstat_warns_only_if_it_changes_the_groups(icelake):
    warned = pstat(icelake, "-x,", "-e", "topdown-retiring,slots").stderr.splitlines()
    assert warned[0] == "WARNING: events were regrouped to match PMUs"
    assert [line.split(",")[2] for line in warned[1:]] == ["slots", "topdown-retiring"]
    quiet = pstat(icelake, "-x,", "-e", "{slots,topdown-retiring}").stderr.splitlines()
    assert [line.split(",")[2] for line in quiet] == ["slots", "topdown-retiring"]
    # pstat changes the groups of metrics without a warning, because the user did not write them
    assert "WARNING" not in pstat(icelake, "--topdown").stderr


def test_a_metric_without_slots_is_not_supported_and_the_reason_is_printed(icelake):
    done = pstat(icelake, "-v", "-x,", "-e", "slots", "-e", "topdown-retiring")
    assert "<not supported>,,topdown-retiring" in done.stderr
    assert "only in a group whose first event is slots)" in done.stderr
    assert "add slots to the same -e" in done.stderr


def test_slots_and_its_metrics_stay_a_group_when_a_weak_group_is_broken_up(icelake):
    # A group has room for 8 events, not including slots and its metrics.
    others = ",".join(f"cpu/event={code}/" for code in range(1, 15))
    group = f"{{{others},topdown-retiring,slots}}:W"
    done, log = icelake.attrs([PSTAT, "stat", "-a", "-j", "-e", group, "true"])
    assert done.stderr.startswith("WARNING: events were regrouped to match PMUs\n")
    rows = [json.loads(line) for line in done.stderr.splitlines()[1:]]
    assert [row["event"] for row in rows][:2] == ["slots", "topdown-retiring"] and len(rows) == 16
    assert all(float(row["counter-value"]) > 0 for row in rows), done.stderr
    broken_up = log[[line.split()[1] for line in log].index("-") + 1:]
    assert any("config=0x8000 " in line and "group=-" not in line for line in broken_up)


def test_topdown_shows_the_metrics_of_level_1_and_no_counts(icelake):
    counts = {}
    done = pstat(icelake, "-j", "-e", "slots,topdown-retiring,topdown-be-bound")
    for line in done.stderr.splitlines()[1:]:
        row = json.loads(line)
        counts[row["event"]] = float(row["counter-value"])
    done = pstat(icelake, "--topdown", "-j")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stderr)
    expected = {"%  td_retiring": "topdown-retiring", "%  td_backend": "topdown-be-bound"}
    assert shown == {name: f"{100 * counts[event] / counts['slots']:.1f}"
                     for name, event in expected.items()}


def test_each_level_has_its_own_metrics(icelake):
    done = pstat(icelake, "--topdown", "--td-level", "2", "-x,")
    assert done.stderr.splitlines()[0] == "%  td_bad,"
    # Events for thresholds are not counted, so instructions is missing.
    command = [PSTAT, f"--metrics-file={METRICS}", "--topdown", "--td-level=2", "true"]
    _, log = icelake.attrs(command)
    configs = {line.split("config=")[1].split()[0] for line in log if "config=" in line}
    assert configs == {"0x400", "0x8100"}
    for text in ("0", "1"):
        done = pstat(icelake, "--topdown", "--td-level", text, "-x,")
        assert done.stderr.startswith("%  td_"), text


def test_topdown_comes_after_the_users_events_and_metrics(icelake):
    done = pstat(icelake, "--topdown", "-e", "cs", "-M", "td_bad", "--metric-only", "-x,")
    names = done.stderr.splitlines()[0]
    assert names == "%  td_bad,insn per cycle,%  td_backend,%  td_retiring,"
    done = pstat(icelake, "--td-level", "2", "-e", "cs", "-x,")
    assert done.stderr.split(",")[2] == "cs" and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments,status,message", [
    (["--topdown", "--td-level", "3"], CONFLICT,
     "Invalid top-down metrics level. The max level is 2.\n"),
    (["--topdown", "--td-level", "x"], USAGE,
     "pstat: --td-level x: the level must be a whole number from 0 to 4294967295\n"),
    (["--td-level", "-1", "-e", "cs"], USAGE,
     "pstat: --td-level -1: the level must be a whole number from 0 to 4294967295\n"),
    (["-T"], CONFLICT, "Missing transaction metrics\n"),
    (["--topdown", "-T"], CONFLICT, "Missing transaction metrics\n"),
])
def test_if_nothing_can_be_shown_perfs_message_is_printed(icelake, arguments, status, message):
    done = pstat(icelake, *arguments)
    assert done.returncode == status
    assert done.stderr.split("pstat: the names of vendors' events")[0] == message


def test_a_machine_without_topdown_metrics_refuses(tmp_path):
    # on this machine, which is not imitated
    for arguments in (["--topdown"], ["--topdown", "--td-level", "9"], ["--topdown", "-e", "cs"]):
        done = subprocess.run([PSTAT, "--events-dir", tmp_path, *arguments, "true"],
                              capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr[:len(NONE)]) == (CONFLICT, NONE)


def test_on_amd_the_groups_are_different_and_transactions_have_their_own_metrics(icelake, tmp_path):
    path = tmp_path / "amd.json"
    path.write_text(json.dumps([
        {"MetricName": "pl_front", "MetricExpr": "branches / cs", "MetricGroup": "PipelineL1"},
        {"MetricName": "pl_late", "MetricExpr": "cs / branches", "MetricGroup": "PipelineL2;fe"},
        {"MetricName": "tx", "MetricExpr": "instructions / cycles",
         "MetricGroup": "transaction"},
    ]), encoding="utf-8")
    for level, name in (("1", "pl_front,"), ("2", "pl_late,")):
        done = pstat(icelake, "--topdown", "--td-level", level, "-x,", metrics=path)
        assert done.stderr.splitlines()[0] == name
    done = pstat(icelake, "-T", "-d", "-x,", metrics=path)
    names = [line.split(",")[2] for line in done.stderr.splitlines()]
    assert [name for name in names if name] == ["instructions", "cycles"]
    # As in perf, -n turns off --topdown and similar options.
    assert "pl_front" not in pstat(icelake, "-n", "--topdown", metrics=path).stderr


def test_a_constant_is_for_the_command_and_uncore_events_are_system_wide(icelake, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps([
        {"MetricName": "constant", "MetricExpr": "6 * 7"},
        {"MetricName": "ipc2", "MetricExpr": "instructions / cycles"},
        {"MetricName": "uncore", "MetricExpr": "uncore_imc_0@clockticks@ / duration_time"},
    ]), encoding="utf-8")
    for arguments, scope in (
            (["-M", "constant"], "'true'"),
            (["-M", "uncore"], "'system wide'"),
            (["-M", "ipc2,uncore"], "'true'"),
            # perf considers only the events of -e.
            (["-e", "duration_time", "-M", "ipc2"], "'system wide'"),
            (["-e", "cs", "-M", "uncore"], "'true'")):
        done = pstat(icelake, *arguments, metrics=path)
        assert f"stats for {scope}:" in done.stderr, (arguments, done.stderr)


def test_the_watchdog_keeps_events_apart_with_perfs_warnings(icelake, tmp_path):
    (tmp_path / "on").write_text("1\n", encoding="utf-8")
    words = ["NO_GROUP_EVENTS_NMI", "NO_THRESHOLD_AND_NMI", "NO_GROUP_EVENTS_SMT"]
    path = tmp_path / "apart.json"
    path.write_text(json.dumps([
        {"MetricName": f"m{i}", "MetricExpr": "cycles / instructions", "MetricConstraint": word}
        for i, word in enumerate(words)]), encoding="utf-8")

    def run(*arguments):
        script = 'mount --bind "$0" /proc/sys/kernel/nmi_watchdog && exec "$@"'
        return icelake.run(["unshare", "-m", "sh", "-c", script, tmp_path / "on", PSTAT,
                            f"--metrics-file={path}", "-x,", *arguments, "true"]).stderr

    warned = run("-M", "m0,m1,m2").splitlines()
    assert warned[:2] == ["Not grouping metric m0's events.", "Not grouping metric m1's events."]
    assert warned[2].startswith("Try disabling the NMI watchdog to comply NO_NMI_WATCHDOG")
    assert "m1's" not in run("--metric-no-threshold", "-M", "m0,m1")
    for quiet in (["-M", "m2"], ["--metric-no-group", "-M", "m0"],
                  ["--metric-no-threshold", "-M", "m1"]):
        assert "grouping" not in run(*quiet), quiet


# ---- default metrics ----


def masked(done):
    """Returns the lines of a report without elapsed times."""
    lines = [line for line in done.stderr.splitlines() if "seconds" not in line]
    return [line for line in lines if line.strip() and "Performance counter stats" not in line]


def default_lines(machine, *arguments, **options):
    """Returns the lines of default metrics and of their headings."""
    lines = masked(pstat(machine, *arguments, **options))
    return [line for line in lines if "td_" in line or "TopdownL1" in line]


def test_d_shows_the_default_metrics_below_their_heading_and_no_counts(icelake):
    values = json.loads(pstat(icelake, "--topdown", "-j").stderr)
    backend, retiring = values["%  td_backend"], values["%  td_retiring"]
    lines = masked(pstat(icelake, "-d"))
    at = next(i for i, line in enumerate(lines) if "TopdownL1" in line)
    assert lines[at] == f"{'TopdownL1':>33}{'':16} # {float(backend):8.1f} {'%  td_backend':<26}"
    assert lines[at + 1] == f"{'':49} # {float(retiring):8.1f} {'%  td_retiring':<26}"
    # These lines are between the default events and those of -d.
    assert "branch-misses" in lines[at - 1] and "L1-dcache-loads" in lines[at + 2]
    assert not any(name in line for line in lines for name in ("slots", "topdown-"))


def test_M_Default_shows_counts_and_the_metrics_below_their_heading(icelake):
    lines = masked(pstat(icelake, "-M", "Default"))
    found = [next(word for word in line.split() if word in ("slots", "topdown-be-bound",
                                                            "topdown-retiring"))
             for line in lines if "slots" in line or "topdown-" in line]
    assert found == ["slots", "topdown-be-bound", "slots", "topdown-retiring"], lines
    slots = [line for line in lines if "slots" in line]
    assert f"slots{'':27}{'TopdownL1':>33}{'':16} # " in slots[0] and "td_backend" in slots[0]
    # The second line below the same heading has empty columns in place of the heading.
    assert f"slots{'':27}{'':49} # " in slots[1] and "td_retiring" in slots[1], slots
    rows = [line.split(",") for line in pstat(icelake, "-x,", "-M", "Default").stderr.splitlines()]
    assert rows[0][2:3] + rows[0][5:] == ["slots", "", "", "", "TopdownL1"], rows[0]
    assert [row[-1] for row in rows[1:4]] == ["%  td_backend", "", "%  td_retiring"]
    rows = [json.loads(line)
            for line in pstat(icelake, "-j", "-M", "Default").stderr.splitlines()]
    assert rows[0]["event"] == "slots" and rows[0]["metricgroup"] == "TopdownL1"
    assert "metric-unit" not in rows[0] and rows[1]["metric-unit"] == "%  td_backend"
    # If another metric or the name of the group is given, the heading is omitted.
    for other in ("Default,td_bad", "TopdownL1"):
        done = pstat(icelake, "-j", "-M", other)
        assert "metricgroup" not in done.stderr and "td_backend" in done.stderr, done.stderr


def test_a_threshold_may_be_known_without_all_of_its_events(icelake, tmp_path):
    thresholds = {"sure": "{} > 0.001 | instructions > 0", "open": "{} > 1e9 | instructions > 0",
                  "good": "{} > 1e9 & instructions > 0"}
    metrics = [{"MetricName": name, "MetricExpr": "cycles / branches",
                "MetricThreshold": threshold.format(name)}
               for name, threshold in thresholds.items()]
    path = tmp_path / "metrics.json"
    path.write_text(json.dumps(metrics), encoding="utf-8")
    done = pstat(icelake, "--metric-no-threshold", "-j", "-M", ",".join(thresholds), metrics=path)
    assert "instructions" not in done.stderr
    rows = [json.loads(line) for line in done.stderr.splitlines()]
    found = {row["metric-unit"]: row.get("metric-threshold") for row in rows
             if row.get("metric-unit") in thresholds}
    assert found == {"sure": "bad", "open": None, "good": "good"}, rows


def test_without_d_the_configuration_decides_about_default_metrics(icelake, tmp_path):
    assert not default_lines(icelake)
    config = tmp_path / "perfconfig"
    config.write_text("[stat]\n\tdefault-metrics = true\n", encoding="utf-8")
    wanted = {"PERF_CONFIG": str(config)}
    command = [PSTAT, f"--metrics-file={METRICS}"]
    assert "TopdownL1" in icelake.run([*command, "true"], env=wanted).stderr
    for other in (["-e", "cs"], ["-M", "td_bad"], ["--topdown"], ["-n"]):
        assert "TopdownL1" not in icelake.run([*command, *other, "true"], env=wanted).stderr, other
    assert not default_lines(icelake, "-d", "-e", "cs")


def test_a_heading_is_printed_again_only_after_another_one(icelake):
    # As in perf, the second line of a heading has other empty fields.
    lines = default_lines(icelake, "-d", "-a", "--per-socket", "-x,")
    assert lines[0].startswith("S0,8,,") and lines[0].endswith(",100.00,,,,TopdownL1")
    assert lines[1].startswith("S0,8,,,,,,") and lines[1].endswith(",%  td_backend")
    assert lines[3].startswith("S1,8,,") and lines[3].endswith(",%  td_backend")
    assert ",100.00,,," in lines[3]
    assert len(lines) == 5
    rows = [json.loads(line) for line in default_lines(icelake, "-d", "-j")]
    assert rows[0]["metricgroup"] == "TopdownL1" and rows[0]["pcnt-running"] == 100
    assert [row.get("metric-unit") for row in rows[1:]] == ["%  td_backend", "%  td_retiring"]


def test_default_metrics_that_cannot_be_computed_here_are_left_out(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text(json.dumps([{"MetricName": "x", "MetricExpr": "no_such_event + 1",
                                 "MetricGroup": "Default"}]), encoding="utf-8")
    command = [PSTAT, "-v", f"--metrics-file={path}", "-d", "-x,", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "the default metrics are left out: metric x" in done.stderr


def test_the_newer_form_of_default_metrics_is_understood():
    path = TOP / "tests/data/metrics/newer.json"
    command = [PSTAT, f"--metrics-file={path}", "-j"]
    done = subprocess.run([*command, "-M", "Default", "true"], capture_output=True, text=True,
                          check=False)
    rows = [json.loads(line) for line in done.stderr.splitlines()]
    counts = {row["event"]: float(row["counter-value"]) for row in rows if "event" in row}
    values = {row["metric-unit"]: float(row["metric-value"]) for row in rows
              if "metric-unit" in row}
    assert set(counts) >= {"cs", "task-clock"}
    assert values["new_clock"] == pytest.approx(counts["task-clock"] * 1e6, rel=1e-3)
    rate = counts["cs"] * 1e9 / values["new_clock"]
    assert values["new_cs_rate"] == pytest.approx(rate, rel=1e-3)
    # With CPUs, the metric uses cpu-clock. -d omits metrics that show the counts of their events.
    done = subprocess.run([*command, "-a", "-M", "new_cs_rate", "true"], capture_output=True,
                          text=True, check=False)
    assert '"cpu-clock"' in done.stderr and '"task-clock"' not in done.stderr
    done = subprocess.run([*command, "-d", "true"], capture_output=True, text=True, check=False)
    assert '"metricgroup" : "New"' in done.stderr and "new_cs_rate" not in done.stderr
