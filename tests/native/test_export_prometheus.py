# SPDX-License-Identifier: GPL-2.0-only
"""`pstat export` as Debian's Prometheus sees it: the pages, the rates, the rules and the dashboard.
All tests share a Prometheus, because it begins to scrape new targets only five seconds after it was
started."""

import os
import re
import signal
import socket
import subprocess
import time

import pytest

from cgroup_bpf import in_bpf
from fleet import scaled_rules, slow_tasks, start_exporter
from native import (IN_C, PSTAT, csv_rows, default_signals, end, inside, start, wait_for,
                    wait_until_counting, workload)
from prometheus import (OPENMETRICS, Prometheus, dashboard, dashboard_variables, fetched, labelled,
                        openmetrics, program, scrape)

ADDRESS = re.compile(r"the metrics are at (http://\S+)")
MINUTE_MS = 500
FLEET = 4


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Starts a fleet with a slow task, and a Prometheus that scrapes the fleet every 125 ms. The
    Prometheus also scrapes server.ports[0], [1] and [2] as the instances port0, port1 and port2.
    Tests can start exporters at these ports."""
    folder, processes = tmp_path_factory.mktemp("server"), []

    def spawn(argv, **popen):
        processes.append(subprocess.Popen(argv, text=True, preexec_fn=default_signals, **popen))
        return processes[-1]

    targets = [start_exporter(spawn, index, 40, MINUTE_MS, 6 if index == 2 else None)[1]
               for index in range(FLEET)]
    ports = [free_port() for _ in range(3)]
    targets += [{"targets": [f"127.0.0.1:{port}"], "labels": {"instance": f"port{number}"}}
                for number, port in enumerate(ports)]
    config = scrape(targets, "125ms", rule_files=scaled_rules(folder, MINUTE_MS))
    prometheus = Prometheus(folder / "prometheus", config)
    prometheus.ports = ports
    yield prometheus
    prometheus.end()
    for process in processes:
        end(process)


class Exporter:
    """A `pstat export` on loopback."""

    def __init__(self, spawn, port, *args):
        self.port = port
        self.log = open(f"export-{port}.log", "a+", encoding="utf-8")
        self.process = spawn([PSTAT, "export", "--listen", f"127.0.0.1:{port}", *args],
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=self.log, env={**os.environ, **IN_C})
        self.url = wait_for("it serves", self._address)

    def _address(self):
        assert self.process.poll() is None, self.messages()
        found = ADDRESS.findall(self.messages())
        return found[-1] if found else None

    def messages(self):
        self.log.seek(0)
        return self.log.read()

    def page(self):
        """Returns a page that prometheus_client has parsed."""
        return openmetrics(fetched(self.url, OPENMETRICS)[0])


@pytest.fixture
def exporter(spawn):
    return lambda port, *args: Exporter(spawn, port, *args)


KINDS = {
    "everything": ["-a", "-e", "task-clock,cs,page-faults:u,duration_time"],
    "cpus": ["-a", "-A", "-e", "cpu-clock,cs"],
    "nothing but software": ["-a", "-e", "task-clock,cycles,LLC-loads"],
    "names that end like samples": ["-a", "-e", ",".join(
        f"software/config=3,name={name}/" for name in
        ("cs", "cs_created", "cs_total", "cs_info", "cs_2", "event_up", "lost_runs"))],
    "a process": ["-p", str(os.getpid()), "-e", "task-clock,cs"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_both_formats_are_correct_and_contain_the_same(server, exporter, kind):
    """Starts Prometheus first, so that it scrapes when the next tests begin."""
    assert server.ports
    one = exporter(0, *KINDS[kind])
    page, kind_of_page = fetched(one.url, OPENMETRICS)
    assert kind_of_page.startswith("application/openmetrics-text; version=1.0.0")
    text, kind_of_text = fetched(one.url)
    assert kind_of_text.startswith("text/plain; version=0.0.4")
    checked = subprocess.run([program("promtool"), "check", "metrics"], input=text, text=True,
                             capture_output=True, check=False)
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
    samples = openmetrics(page)
    lines = [line.rpartition(" ")[0] for line in text.splitlines() if line[0] != "#"]
    assert len(lines) == len(samples)
    assert {line.partition("{")[0] for line in lines} == {name for name, _ in samples}
    assert len(labelled(samples, "pstat_cpu_info")) == 1
    begin = labelled(samples, "pstat_start_time_seconds")[frozenset()]
    assert time.time() - 60 < begin < time.time()
    # events that were not counted have no samples
    for labels, value in labelled(samples, "pstat_event_up").items():
        assert value == ("reason" not in dict(labels))
    assert not [name for name, _ in samples if "cycles" in name or "llc" in name]


def test_prometheus_sees_all_samples_and_a_restart_is_a_reset(server, exporter, spinner):
    spinner()
    args = [server.ports[0], "-a", "-e", "task-clock,cs"]
    this = 'instance="port0"'
    one = exporter(*args)
    server.wait_for(f"pstat_task_clock_seconds_total{{{this}}} > 0.5")
    assert server.value(f"scrape_samples_scraped{{{this}}}") == len(one.page())
    one.process.send_signal(signal.SIGKILL)
    one.process.wait()
    server.wait_for(f"up{{{this}}} == 0")
    # the series end when the exporter ends
    assert not server.query(f"pstat_task_clock_seconds_total{{{this}}}")
    exporter(*args)
    server.wait_for(f"changes(pstat_start_time_seconds{{{this}}}[1m]) == 1")
    assert server.value(f"resets(pstat_task_clock_seconds_total{{{this}}}[1m])") == 1
    # the rate is at most that of all CPUs, although the count has restarted
    assert 0 < server.value(f"rate(pstat_task_clock_seconds_total{{{this}}}[1m])") \
        < 1.01 * os.cpu_count()


@pytest.mark.parametrize("how", [(), ("--bpf-counters",)], ids=["fds", "BPF"])
@pytest.mark.usefixtures("sys_bpffs")
def test_rates_equal_the_rows_of_stat(server, exporter, cgroup, how):
    """export and stat count the same work, which begins after the first scrape and ends before the
    last one."""
    if how and in_bpf[0].args[0]:
        pytest.skip(in_bpf[0].kwargs["reason"])
    number = 2 if how else 1
    this = f'instance="port{number}"'
    groups = [cgroup("a"), cgroup("b")]
    args = ["-a", *how, "--for-each-cgroup", ",".join(groups), "-e", "task-clock,page-faults"]
    exporter(server.ports[number], *args)
    with start("stat", "-I", 100, "-x,", *args) as stat:
        wait_until_counting(stat)
        server.wait_for(f"up{{{this}}} == 1")
        begin = time.time()
        workers = [subprocess.Popen(inside(groups[0], *workload("faults", 3000)),
                                    stdout=subprocess.DEVNULL),
                   subprocess.Popen(inside(groups[1], *workload("spin", "--ms", 400)),
                                    stdout=subprocess.DEVNULL)]
        assert [worker.wait() for worker in workers] == [0, 0]
        done = time.time()
        server.wait_for(f"timestamp(up{{{this}}}) > {done + 0.2}")
        stat.terminate()
        rows = [row for row in csv_rows(stat.communicate()[1]) if len(row) > 5]
    for event, name in {"task-clock": "task_clock_seconds", "page-faults": "page_faults"}.items():
        for group in groups:
            selector = f'pstat_cgroup_{name}_total{{{this},cgroup="/{group}"}}'
            samples = server.raw(selector, 60)
            first = [when for when, _ in samples if when < begin][-1]
            last = samples[-1][0]
            assert first < begin < done < last
            # the window begins and ends with a sample, so that Prometheus does not extrapolate
            length = round(1000 * (last - first))
            rate = server.value(f"rate({selector}[{length}ms])", last)
            counted = sum(float(row[1]) for row in rows if row[3] == event and row[4] == group
                          and not row[1].startswith("<"))
            counted /= 1000 if event == "task-clock" else 1
            assert rate == pytest.approx(1000 * counted / length, rel=0.01), (event, group, rows)
            assert counted > (0.3 if (event, group) == ("task-clock", groups[1]) else 0)


def test_one_slow_task_in_a_small_fleet_is_found_and_no_other(server):
    server.wait_for('ALERTS{alertname="PstatCpiAbnormal", alertstate="firing"}')
    assert slow_tasks(server) == {("machine2", "/system.slice/work2@1.service")}
    # 20 tasks of this workload run on CPUs of this model, and one of them is slower
    ratio = server.value("task:pstat_cpi_abnormal:ratio")
    assert ratio == pytest.approx(1.5 / (20.5 / 20), rel=0.05)
    assert server.value("count(workload_model:pstat_cpi:mean1d)") == 8


def test_the_queries_of_the_dashboard_return_data(server, exporter):
    """tests/vm/test_export.py runs the queries about BPF programs."""
    exporter(server.ports[0], "-a", "-e", "cs,software/config=99/")
    server.wait_for("pstat_event_up == 0")
    server.wait_for("task:pstat_cpi_abnormal:ratio")
    for panel, expr in dashboard(f"{4 * MINUTE_MS}ms").items():
        found = server.query(expr)
        assert found or "pstat_bpf_prog" in expr or "pstat_lost_runs" in expr, (panel, expr)


def test_the_variables_of_the_dashboard_have_the_values_of_every_exporter(server, exporter,
                                                                          cgroup):
    """This includes exporters on machines without a PMU, whose cgroups have no instructions."""
    group = f"/{cgroup('variable')}"
    exporter(server.ports[1], "-a", "--for-each-cgroup", group, "-e", "task-clock")
    server.wait_for(f'pstat_cgroup_task_clock_seconds_total{{cgroup="{group}"}}')
    wanted = {"job": "pstat", "instance": "port1", "cgroup": group}
    variables = dashboard_variables()
    assert variables.keys() == wanted.keys()
    for name, (selector, label) in variables.items():
        assert wanted[name] in server.get(f"label/{label}/values", **{"match[]": selector}), name
