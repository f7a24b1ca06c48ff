# SPDX-License-Identifier: GPL-2.0-only
"""The recording and alerting rules of examples/export, run by promtool on series with known
values."""

import json

import pytest

from prometheus import ALERTS, EXAMPLES, RULES, promtool

STEP = 15  # seconds between samples


def series(name, values, /, **labels):
    """Returns an input series of promtool. A running total has the increments `values`."""
    if name.endswith("_total"):
        total, totals = 0, []
        for value in values:
            total += value * STEP
            totals.append(total)
        values = totals
    text = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return {"series": f"{name}{{{text}}}", "values": " ".join(f"{value:.17g}" for value in values)}


def cgroup(values, cpus, instance, path, **ids):
    """Returns the series of a cgroup that executes 1e9 instructions per second, and needs
    values[i] cycles for each of them."""
    where = {"job": "pstat", "instance": instance, "cgroup": path, **ids}
    nr = len(values)
    return [
        series("pstat_cgroup_instructions_total", [1e9] * nr, **where),
        series("pstat_cgroup_cycles_total", [1e9 * value for value in values], **where),
        series("pstat_cgroup_cache_misses_total", [5e6] * nr, **where),
        series("pstat_cgroup_task_clock_seconds_total", [cpus] * nr, **where)
    ]


def machine(instance, model, nr):
    return series("pstat_cpu_info", [1] * nr, job="pstat", instance=instance, model=model)


def samples(expr, at, expected):
    return {"expr": expr, "eval_time": at, "exp_samples": [
        {"labels": labels, "value": value} for labels, value in expected.items()]}


@pytest.fixture
def check(tmp_path):
    """Runs promtool's unit tests with the rules of the tree."""

    def run(tasks, inputs, expressions=(), alerts=()):
        file = tmp_path / "test.yml"
        file.write_text(json.dumps({
            "rule_files": [str(EXAMPLES / name) for name in
                           ("pstat.rules.yml", f"tasks-{tasks}.rules.yml", "cpi2.rules.yml",
                            ALERTS.name)],
            "evaluation_interval": "1m",
            # without an order, promtool chooses a different one each time
            "group_eval_order": [
                "pstat-cgroups", "pstat-machines", "pstat-bpf-programs", "pstat-tasks",
                "pstat-cpi2", "pstat-exporters", "pstat-performance"
            ],
            "tests": [{"interval": f"{STEP}s", "input_series": inputs,
                       "promql_expr_test": list(expressions), "alert_rule_test": list(alerts)}]
        }), encoding="utf-8")
        promtool("test", "rules", file)

    return run


def test_promtool_accepts_all_rules():
    promtool("check", "rules", *RULES, ALERTS)


def test_ratios_of_cgroups_and_programs(check):
    nr = 60
    where = {"job": "pstat", "instance": "m"}
    prog = {**where, "name": "xdp_count", "type": "xdp"}
    inputs = [
        *cgroup([1.5] * nr, 0.5, "m", "/a"), *cgroup([0] * nr, 0, "m", "/idle"),
        # the program is loaded again under another id
        series("pstat_bpf_prog_runs_total", [100] * nr, id=7, tag="aa", **prog),
        series("pstat_bpf_prog_instructions_total", [9000] * nr, id=7, tag="aa", **prog),
        series("pstat_bpf_prog_runs_total", [300] * nr, id=8, tag="bb", **prog),
        series("pstat_bpf_prog_instructions_total", [27000] * nr, id=8, tag="bb", **prog)
    ]
    inputs[4]["values"] = f"0x{nr}"  # /idle executes nothing
    check("systemd", inputs, [
        samples("cgroup:pstat_cgroup_cpi:rate1m", "10m", {
            'cgroup:pstat_cgroup_cpi:rate1m{job="pstat",instance="m",cgroup="/a"}': 1.5}),
        samples("cgroup:pstat_cgroup_mpki:rate1m", "10m", {
            'cgroup:pstat_cgroup_mpki:rate1m{job="pstat",instance="m",cgroup="/a"}': 5}),
        samples("prog:pstat_bpf_prog_instructions_per_run:rate5m", "10m", {
            'prog:pstat_bpf_prog_instructions_per_run:rate5m{job="pstat",instance="m",'
            'name="xdp_count",type="xdp"}': 90}),
        samples("prog:pstat_bpf_prog_runs:rate5m", "10m", {
            'prog:pstat_bpf_prog_runs:rate5m{job="pstat",instance="m",'
            'name="xdp_count",type="xdp"}': 400})
    ])


# 12 machines of model old, on which the workload needs 1 to 1.17 cycles per instruction, and 12 of
# model new, on which it needs 0.75 to 0.92. Sums of these numbers are exact in any order.
MODELS = {"old": 1.0, "new": 0.75}
UNIT = 1 / 64
SLOW = 1.625
MINUTES = 40
BEGIN, END = 20, 30


def fleet(path, ids=lambda model, number: {}):
    """Returns the series of the fleet. From minute 20 to minute 30, the task on machine 3 of the
    old model needs SLOW cycles per instruction. The task on machine 5 does so for only two minutes.
    The task on machine 7 is always slow, but uses only a tenth of a CPU."""
    inputs = []
    for model, usual in MODELS.items():
        for number in range(12):
            instance, nr = f"{model}{number}", MINUTES * 60 // STEP
            values = [usual + number * UNIT] * nr
            first = BEGIN * 60 // STEP
            last = {("old", 3): END, ("old", 5): BEGIN + 2}.get((model, number), 0) * 60 // STEP
            values[first:max(first, last)] = [SLOW] * max(0, last - first)
            idle = (model, number) == ("old", 7)
            inputs += cgroup([4] * nr if idle else values, 0.1 if idle else 2, instance,
                             path(model, number), **ids(model, number))
            inputs.append(machine(instance, model, nr))
    return inputs


def test_cpi2_finds_the_slow_task_and_no_other(check):
    where = {"job": "pstat", "instance": "old3", "cgroup": "/system.slice/web@3.service",
             "workload": "web", "model": "old"}
    labels = ",".join(f'{key}="{value}"' for key, value in where.items())
    above = f"task:pstat_cpi_above_limit:count5m{{{labels}}}"
    check("systemd", fleet(lambda model, number: f"/system.slice/web@{number}.service"), [
        # 11 tasks of the old model are busy
        samples('workload_model:pstat_cpi:mean1d{model="old"}', "19m", {
            'workload_model:pstat_cpi:mean1d{model="old",workload="web"}':
                sum(1 + number * UNIT for number in range(12) if number != 7) / 11}),
        samples("task:pstat_cpi_abnormal:ratio", "19m", {}),
        samples('task:pstat_cpi_above_limit:count5m{instance="old3"}', "27m", {above: 5}),
        samples("count(task:pstat_cpi_abnormal:ratio)", "27m", {"{}": 1}),
        samples('count(task:pstat_cpi_abnormal:ratio{instance="old3"})', "27m", {"{}": 1}),
        samples("task:pstat_cpi_abnormal:ratio", "36m", {})
    ])


def cpi_of(model, number, minute):
    """Returns the CPI of a busy task as a rate over the minute before."""
    last = {3: END, 5: BEGIN + 2}.get(number, 0) if model == "old" else 0
    slow = range(BEGIN * 60 // STEP, last * 60 // STEP)
    steps = range(minute * 60 // STEP - 60 // STEP + 1, minute * 60 // STEP + 1)
    usual = MODELS[model] + number * UNIT
    return sum(SLOW if step in slow else usual for step in steps) / len(steps)


def test_cpi2_alert_names_task_and_workload(check):
    minute = 27
    all_samples = [cpi_of("old", number, before) for before in range(1, minute + 1)
                   for number in range(12) if number != 7]
    ratio = SLOW / (sum(all_samples) / len(all_samples))
    where = {"job": "pstat", "instance": "old3", "cgroup": "system.slice/web@3.service",
             "workload": "web", "model": "old", "severity": "warning"}
    alert = {"eval_time": f"{minute}m", "alertname": "PstatCpiAbnormal", "exp_alerts": [
        {"exp_labels": where, "exp_annotations": {
            "summary": "system.slice/web@3.service on old3 is slower than its workload",
            "description": f"It needs {ratio:.4g} times as many cycles per instruction as the mean "
                           "of web on old. Look for a neighbour on this machine with a high "
                           "cgroup:pstat_cgroup_mpki:rate1m."}}]}
    check("systemd", fleet(lambda model, number: f"system.slice/web@{number}.service"),
          alerts=[alert])


def container_id(task):
    return task.encode().hex().rjust(64, "0")


def test_cpi2_gets_workloads_of_kubernetes(check):
    nr = MINUTES * 60 // STEP
    inputs = []
    # if a container runs systemd, there are more cgroups inside the cgroup of the container
    for below in "", "/init.scope":
        inputs += fleet(
            lambda model, number, below=below: f"/kubepods.slice/pod{model}{number}/"
            f"cri-containerd-{container_id(f'{model}{number}')}.scope{below}",
            lambda model, number: {"pod_uid": f"uid-{model}{number}", "container_id":
                                   container_id(f"{model}{number}")})
    for model in MODELS:
        for number in range(12):
            task = f"{model}{number}"
            pod = {"uid": f"uid-{task}", "namespace": "shop", "pod": f"web-{task}",
                   "job": "kube-state-metrics"}
            inputs.append(series("kube_pod_owner", [1] * nr, owner_kind="ReplicaSet",
                                 owner_name="web-6b474476c4", **pod))
            inputs.append(series("kube_pod_container_info", [1] * nr, container="server",
                                 container_id=f"containerd://{container_id(task)}", **pod))
    check("kubernetes", inputs, [
        samples("workload_model:pstat_cpi:count", "10m", {
            f'workload_model:pstat_cpi:count{{model="{model}",workload="shop/web/server"}}': count
            for model, count in {"old": 11, "new": 12}.items()}),
        samples("count by (instance) (task:pstat_cpi_abnormal:ratio)", "27m",
                {'{instance="old3"}': 1})
    ])


def test_alerts_fire_for_what_they_name(check):
    nr = 240
    where = {"job": "pstat", "instance": "m"}
    event = {**where, "event": "cycles"}
    inputs = [
        series("up", [0] * nr, **where),
        series("pstat_event_up", [0] * nr, reason="no PMU", **event),
        series("pstat_event_up", [1] * nr, event="cs", **where),
        series("pstat_lost_runs_total", [2] * nr, **where),
        series("pstat_event_enabled_seconds_total", [1] * nr, **event),
        series("pstat_event_running_seconds_total", [0.125] * nr, **event),
        series("scrape_duration_seconds", [1.5] * nr, **where),
        series("scrape_samples_scraped", [40000] * nr, **where),
        series("pstat_start_time_seconds", [n // 20 for n in range(nr)], **where)
    ]

    def fires(name, severity, summary, description=None, at="50m", **labels):
        texts = {"summary": summary, **({"description": description} if description else {})}
        return {"eval_time": at, "alertname": name, "exp_alerts": [
            {"exp_labels": {"severity": severity, **where, **labels}, "exp_annotations": texts}]}

    check("systemd", inputs, alerts=[
        fires("PstatDown", "warning", "pstat export on m does not answer",
              "Prometheus could not scrape it for five minutes. `journalctl -u pstat-export` on "
              "the machine shows why."),
        fires("PstatEventNotCounted", "info", "cycles is not counted on m", "no PMU",
              event="cycles", reason="no PMU"),
        fires("PstatLostRuns", "warning", "pstat on m cannot count all runs",
              "2 runs of BPF programs or scopes per second were not counted. The totals of the "
              "others are right."),
        fires("PstatMultiplexed", "info", "cycles on m shares its counter",
              "The event had a counter for 12.5% of the time, and its counts are estimates. Count "
              "fewer events, or find out who else uses the counters.", event="cycles"),
        fires("PstatScrapeSlow", "info", "pstat on m needs 1.5s per scrape"),
        fires("PstatManySeries", "info", "pstat on m exports 40000 samples",
              "Export fewer cgroups, for example with --top 500, or fewer events."),
        fires("PstatRestarts", "warning", "pstat on m started 10 times in an hour"),
        {"eval_time": "3m", "alertname": "PstatDown", "exp_alerts": []}
    ])
