# SPDX-License-Identifier: GPL-2.0-only
"""-M, --metric-only, --metrics-file and `list metrics` on this kernel, with software events. The
values are checked against the counts in the same report."""

import json
import os
import re
import subprocess

import pytest

from native import CONFLICT, FAILED, PSTAT, TOP, USAGE, online_cpus, run, workload

EXAMPLE = TOP / "tests/data/metrics/example.json"
SPIN = workload("spin", 2000000)

LIVE = [{"MetricName": "l_faults", "MetricExpr": "page\\-faults"}, {
    "MetricName": "l_faults_per_sec", "MetricExpr": "page\\-faults / duration_time",
    "ScaleUnit": "1per_sec", "MetricThreshold": "l_faults_per_sec > 0"
}, {
    "MetricName": "l_share", "MetricExpr": "task\\-clock / (duration_time * 1e9)",
    "ScaleUnit": "100%", "MetricGroup": "Live", "MetricThreshold": "l_share > 1e9"
}, {
    "MetricName": "l_tsc",
    "MetricExpr": "msr@tsc@ / duration_time / #num_cpus_online / #system_tsc_freq",
    "MetricGroup": "Tsc"
}, {
    "MetricName": "l_switches", "MetricExpr": "context\\-switches + 0 * l_share",
    "MetricGroup": "Live"
}, {"MetricName": "l_nothing",
    "MetricExpr": "page\\-faults / 0"}, {"MetricName": "l_const", "MetricExpr": "6 * 7"},
        {"MetricName": "l_bad", "MetricExpr": "no_such_event + 1"}, ]


@pytest.fixture(name="live")
def live_file(tmp_path):
    path = tmp_path / "live.json"
    path.write_text(json.dumps(LIVE, indent=1), encoding="utf-8")
    return f"--metrics-file={path}"


def rows(done):
    """Returns the JSON lines of a successful run."""
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stderr.splitlines()]


def metric(lines, name):
    found = [line for line in lines if line.get("metric-unit", "").split("  ")[-1] == name]
    assert len(found) == 1, lines
    return found[0]


def counted(lines, event):
    return next(float(line["counter-value"]) for line in lines if line.get("event") == event)


def test_a_metric_is_computed_from_the_counts_in_the_report(live):
    lines = rows(run("-j", live, "-M", "l_faults,l_faults_per_sec,l_share", *SPIN))
    faults, seconds = counted(lines, "page-faults"), counted(lines, "duration_time") * 1e-9
    clock = counted(lines, "task-clock") * 1e-3
    assert float(metric(lines, "l_faults")["metric-value"]) == faults > 0
    # duration_time is read a moment after the elapsed time.
    assert float(metric(lines, "l_faults_per_sec")["metric-value"]) == pytest.approx(
        faults / seconds, rel=0.05)
    assert float(metric(lines, "l_share")["metric-value"]) == pytest.approx(
        100 * clock / seconds, rel=0.05
    )
    assert metric(lines, "l_faults_per_sec")["metric-unit"] == "per_sec  l_faults_per_sec"


def test_the_time_stamp_counter_advances_at_its_frequency_on_each_cpu(live):
    done = run("-j", "-a", live, "-M", "l_tsc", "sleep", "0.2")
    if done.returncode == USAGE and "msr" in done.stderr:
        pytest.skip(f"probe: pstat -M l_tsc: {done.stderr.strip()}")
    value = metric(rows(done), "l_tsc")["metric-value"]
    if value == "none":
        pytest.skip("probe: #system_tsc_freq: neither CPUID nor the kernel reports it here")
    assert float(value) == pytest.approx(1.0, rel=0.03)


def test_json_contains_the_verdict_of_a_threshold(live):
    lines = rows(run("-j", live, "-M", "l_faults_per_sec,l_share", "true"))
    assert metric(lines, "l_faults_per_sec")["metric-threshold"] == "bad"
    assert metric(lines, "l_share")["metric-threshold"] == "good"
    lines = rows(run("-j", live, "-M", "l_const", "true"))
    assert "metric-threshold" not in metric(lines, "l_const")


def test_a_constant_next_to_other_metrics_is_reported_only_by_v(live):
    lines = rows(run("-j", live, "-M", "l_const,l_faults", "true"))
    assert metric(lines, "l_faults") and "l_const" not in str(lines)
    done = run("-v", "-j", live, "-M", "l_const,l_faults", "true")
    assert "metric l_const: not shown: it is a constant" in done.stderr


def test_pstats_own_metrics_are_not_in_the_groups_of_a_file(tmp_path):
    assert "page_faults_per_sec" in str(rows(run("-j", "-M", "Faults", "true")))
    path = tmp_path / "m.json"
    path.write_text(json.dumps([{"MetricName": "x", "MetricExpr": "cs", "MetricGroup": "Faults"}]))
    done = run("-j", f"--metrics-file={path}", "-M", "Faults", "true")
    assert [line.get("event") for line in rows(done)] == ["cs"]
    done = run("-j", f"--metrics-file={path}", "-M", "Faults,page_faults_per_sec", "true")
    assert "page_faults_per_sec" in str(rows(done))


def test_a_metric_without_a_value_prints_none(live):
    assert metric(rows(run("-j", live, "-M", "l_nothing", "true")),
                  "l_nothing")["metric-value"] == "none"
    text = run(live, "-M", "l_nothing", "true").stderr
    assert re.search(r"duration_time  +# +none l_nothing", text)
    assert re.search(r",,l_nothing$", run("-x,", live, "-M", "l_nothing", "true").stderr, re.M)


def test_metrics_follow_the_events_of_e_without_the_default_events(live):
    lines = rows(run("-j", "-e", "minor-faults", live, "-M", "l_faults", "true"))
    assert [line["event"] for line in lines] == ["minor-faults", "page-faults"]


def test_the_metrics_of_several_options_are_combined(live):
    lines = rows(run("-j", live, "-M", "l_faults", "--metrics", "Live", "true"))
    for name in ("l_faults", "l_share", "l_switches"):
        metric(lines, name)


@pytest.mark.parametrize("options, events",
                         [([], ["page-faults", "duration_time"]),
                          (["--metric-no-merge"], ["page-faults", "duration_time", "page-faults"]),
                          (["--metric-no-merge", "--metric-no-threshold"
                            ], ["page-faults", "duration_time", "page-faults"]),
                          (["--metric-no-group"], ["page-faults", "duration_time"]), ])
def test_events_are_shared_unless_an_option_prevents_it(live, options, events):
    lines = rows(run("-j", live, *options, "-M", "l_faults,l_faults_per_sec", "true"))
    assert [line["event"] for line in lines if "event" in line] == events


def test_modifiers_apply_to_all_events(live):
    lines = rows(run("-j", live, "-M", "l_faults:u", "true"))
    assert lines[0]["event"] == "page-faults:u"
    metric(lines, "l_faults:u")


def test_metric_only_prints_a_heading_and_a_line():
    """The text is equal to the text of perf 6.12 for three metrics of this kind, except for the
    names and the order."""
    lines = run("-M", "page_faults_per_cpu_sec,cpu_utilization", "--metric-only",
                "true").stderr.splitlines()
    assert lines[1] == " Performance counter stats for 'true':"
    assert re.fullmatch(r" ( *\S+  \S+ ){2}", lines[3])
    assert re.fullmatch(r"( *\d+\.\d ){2}", lines[4])
    assert re.fullmatch(r" +\d\.\d{9} seconds time elapsed", lines[6])


@pytest.mark.parametrize("args, heading, line", [
    ([], r"per_sec  page_faults_per_sec,", r"\d+\.\d,"),
    (["-a"], r"per_sec  page_faults_per_sec,", r"\d+\.\d,"),
    (["-a", "-I", "60"], r"time,per_sec  page_faults_per_sec,", r"0\.\d{9},\d+\.\d,"),
])
def test_metric_only_works_in_csv(args, heading, line):
    lines = run(*args, "-x,", "-M", "page_faults_per_sec", "--metric-only", "sleep",
                "0.1").stderr.splitlines()
    assert re.fullmatch(heading, lines[0])
    assert len(lines) > 1
    for text in lines[1:]:
        assert re.fullmatch(line, text)


def test_metric_only_works_in_json():
    lines = rows(
        run("-j", "-I", "60", "-a", "-M", "page_faults_per_sec,cpu_utilization", "--metric-only",
            "sleep", "0.1"))
    assert len(lines) >= 1
    for line in lines:
        assert list(line) == ["interval", "per_sec  page_faults_per_sec", "%  cpu_utilization"] or \
            list(line) == ["interval", "%  cpu_utilization", "per_sec  page_faults_per_sec"]
        assert 0 < float(line["%  cpu_utilization"]) <= 110


def test_without_a_metric_metric_only_prints_none():
    assert rows(run("-j", "-e", "cs,task-clock", "--metric-only",
                    "true")) == [{"metric-value": "none"}]


def test_each_interval_has_its_own_values(live):
    lines = rows(
        run("-j", "-a", "-I", "100", "--interval-count", "3", live, "-M", "l_share", "sleep", "5"))
    shares = [float(line["metric-value"]) for line in lines if line["metric-unit"] == "%  l_share"]
    assert len(shares) == 3
    for share in shares:
        assert share == pytest.approx(100 * len(online_cpus()), rel=0.1)


def test_a_text_report_without_a_metric_has_a_message():
    words = "pstat: --metric-only: no metric of these events has a value\n"
    args = ["--metric-only", "-e", "cs,task-clock", "true"]
    assert words in run(*args).stderr and words in run("-o", "file", *args).stderr
    for options in (["-x,"], ["-j"], ["--quiet"]):
        assert "pstat:" not in run(*options, *args).stderr
    assert "pstat:" not in run("-M", "cpus_utilized", "--metric-only", "true").stderr


def test_an_unknown_metric_is_reported_in_perfs_words(monkeypatch):
    monkeypatch.setenv("PSTAT_EVENTS", "")  # so the vendor's events need not be installed
    see = "Run 'pstat list metrics' for a list of valid metrics\n"
    for name, near in (("NoSuchMetric", ""), ("icp", "did you mean: ipc\n"),
                       ("cashes", "did you mean: Caches\n")):
        done = run("-M", name, "touch", "it-ran")
        assert (done.stderr, done.stdout,
                done.returncode) == (f"Cannot find metric or group `{name}'\n{near}{see}", "",
                                     CONFLICT)
    done = run("-M", "ipc,", "touch", "it-ran")
    assert (done.stderr, done.returncode) == (f"Cannot find metric or group `'\n{see}", CONFLICT)
    assert run("-M", "a\x1b[2Jb",
               "true").stderr.startswith("Cannot find metric or group `a?[2Jb'\n")
    assert not os.path.exists("it-ran")


def test_a_metric_whose_events_do_not_exist_is_refused(live):
    done = run(live, "-M", "l_faults,l_bad", "true")
    assert done.returncode == USAGE
    assert done.stderr.startswith("pstat: -M: metric l_bad: its events cannot be counted here\n")
    assert "no_such_event" in done.stderr


@pytest.mark.parametrize("text, where",
                         [("[{", r":1: not JSON: "),
                          ('[\n{"MetricName": "a", "MetricExpr": "1 +"}]',
                           r":2: metric a: expected a value, but the expression ends\n"
                           r" {7}1 \+\n {10}\^$"), ])
def test_a_bad_file_is_refused_with_its_line(tmp_path, text, where):
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    done = run(f"--metrics-file={path}", "-M", "a", "true")
    assert done.returncode == USAGE
    assert re.search(rf"^pstat: --metrics-file {path}{where}", done.stderr, re.M), done.stderr


def test_a_file_that_is_missing_is_refused():
    done = run("--metrics-file=missing.json", "-M", "ipc", "true")
    assert (done.returncode, done.stderr) == (
        USAGE, "pstat: --metrics-file missing.json: cannot be read: No such file or directory\n")


def test_a_decimal_comma_changes_no_value(live, german):
    lines = rows(run("-j", live, "-M", "l_const", "true", locale=german))
    assert metric(lines, "l_const")["metric-value"] == "42.000000"
    assert "42,00" in run(live, "-M", "l_const", "true", locale=german).stderr


# ---- list metrics ----


def listed(*args):
    done = subprocess.run([PSTAT, "list", "metrics", *args], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0
    return done.stdout


def test_list_names_every_metric_once():
    names = listed("--no-desc").split()
    assert {"ipc", "page_faults_per_sec", "branch_miss_rate"} <= set(names)
    assert names == sorted(set(names), key=str.lower)


def test_list_accepts_patterns_parts_and_groups():
    assert listed("--no-desc", "IP*").split() == ["ipc"]
    assert "dtlb_miss_rate" in listed("--no-desc", "TLBs").split()
    assert listed("--no-desc", "nosuch") == ""


def test_list_has_the_groups_with_their_metrics(tmp_path):
    path = tmp_path / "groups.json"
    path.write_text(
        json.dumps([{"MetricName": "l_one", "MetricExpr": "1", "MetricGroup": "Own; live ;caches"},
                    {"MetricName": "l_two", "MetricExpr": "2", "MetricGroup": "Live"},
                    {"MetricName": "l_bare", "MetricExpr": "3"}]), encoding="utf-8")
    words = ["list", "metricgroup", "--metrics-file", path]
    names = run(*words, "--no-desc").stdout.split()
    assert {"Caches", "Live", "No_group", "Own", "TLBs"
            } <= {name.capitalize() if name.islower() else name for name in names}
    assert len(names) == len({name.lower()
                              for name in names}) and names == sorted(names, key=str.lower)
    assert (
        run(*words, "live", "No_*").stdout.split("\n\n")[1].lower()
        == "  live\n       [l_one, l_two]\n  no_group\n       [l_bare]\n"
    )
    members = {group["MetricGroup"].lower(): [metric["MetricName"] for metric in group["Metrics"]]
               for group in json.loads(run(*words, "-j").stdout)}
    assert members["own"] == ["l_one"
                              ] and "l_one" in members["caches"] and len(members["caches"]) > 5
    assert run("list", "metricgroup", "nosuch").stderr == "pstat: no metric group matches nosuch\n"


def test_each_group_in_the_list_is_accepted_by_the_option():
    for name in run("list", "metricgroup", "--no-desc").stdout.split():
        done = run("-M", name, "--metric-only", "true")
        assert "Cannot find" not in done.stderr and done.returncode in (0, FAILED), done.stderr


@pytest.mark.parametrize("words, code, told", [
    (["metricgroup", "--check"], CONFLICT,
     "metricgroup and --check cannot be combined: only events can be opened"),
    (["metrics", "--check"], CONFLICT,
     "metrics and --check cannot be combined: only events can be opened"),
    (["sdt"], 0, "sdt: `pstat list scopes FILE` lists the USDT points of FILE"),
    (["pfm"], 0, "pfm: pstat does not list the events of libpfm4"),
])
def test_list_refuses_unknown_options(words, code, told):
    done = run("list", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"pstat: {told}\n")


def test_the_json_output_of_list_is_a_valid_file_of_metrics(tmp_path):
    text = listed("--json", "--metrics-file", str(EXAMPLE))
    (tmp_path / "all.json").write_text(text, encoding="utf-8")
    assert listed("--json", "--metrics-file", "all.json") == text
    assert sum(entry["MetricName"].startswith("ex_") for entry in json.loads(text)) >= 40


def test_list_wraps_long_descriptions():
    text = listed("-v", "--metrics-file", str(EXAMPLE), "ex_share_backend")
    assert "threshold: ex_share_backend > 0.2" in text
    assert all(len(line) < 80 for line in text.splitlines() if "[" in line)


def test_list_prints_no_control_characters_of_a_file(tmp_path):
    path, escape, word = tmp_path / "odd.json", "\033]0;odd\007\x9b2J", "w" * 300
    path.write_text(
        json.dumps([{
            "MetricName": f"odd{escape}", "MetricExpr": "page\\-faults\t+ 1",
            "MetricGroup": f"G{escape}", "ScaleUnit": f"1x{escape}", "MetricThreshold": "odd >\r1",
            "BriefDescription": f"{escape} {word}", "PublicDescription": f"more{escape}"
        }]), encoding="utf-8")
    text = listed("-v", "--metrics-file", str(path), "odd*")
    assert not set(text) - {"\n"} & {chr(c)
                                     for c in [*range(0x20), *range(0x7f, 0xa0)]}, ascii(text)
    clean = "?]0;odd??2J"
    assert text.splitlines()[-7:] == [
        f"  odd{clean}", f"       [{clean}", f"        {word}]", f"       [more{clean}]",
        f"       page\\-faults?+ 1   in 1x{clean}", "       threshold: odd >?1",
        f"       groups: G{clean}"
    ]
    assert listed("--no-desc", "--metrics-file", str(path), "odd*") == f"odd{clean}\n"


def test_a_list_that_does_not_fit_on_the_device_is_an_error():
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([PSTAT, "list", "metrics"], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)
    assert done.returncode == FAILED
    assert "No space left" in done.stderr


def test_a_metric_with_a_missing_event_is_shown_only_in_columns(tmp_path):
    path = tmp_path / "gone.json"
    path.write_text(
        json.dumps([{
            "MetricName": "l_gone", "MetricExpr": "LLC\\-prefetch\\-misses / page\\-faults"
        }]), encoding="utf-8")
    options = [f"--metrics-file={path}", "-M", "l_gone", "--metric-no-group", "true"]
    first, *_ = (line.split(",") for line in run("-x,", *options).stderr.splitlines())
    if first[0] != "<not supported>":
        pytest.skip(f"probe: this machine has LLC-prefetch-misses: {first}")
    assert first[-2:] == ["", ""]
    assert "l_gone" not in str(rows(run("-j", *options)))
    assert re.search(r"^ +<not supported> +LLC-prefetch-misses *$", run(*options).stderr, re.M)
    assert run("-x,", "--metric-only", *options).stderr.splitlines()[0] == "l_gone,"
