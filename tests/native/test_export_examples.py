# SPDX-License-Identifier: GPL-2.0-only
"""The files of examples/export that no other test runs."""

import os
import re
import subprocess

import pytest
import yaml

from native import LIBC, PSTAT, TOP, default_signals, start
from prometheus import EXAMPLES, OPENMETRICS, fetched, openmetrics, promtool

PR_CAPBSET_DROP = 24  # linux/prctl.h
CAPABILITIES = {"CAP_PERFMON": 38, "CAP_BPF": 39}  # linux/capability.h


@pytest.fixture(scope="module")
def documents():
    text = (EXAMPLES / "daemonset.yaml").read_text(encoding="utf-8")
    return {one["kind"]: one for one in yaml.safe_load_all(text)}


def container(documents):
    return documents["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]


def test_the_objects_of_the_daemonset_refer_to_each_other(documents):
    spec = documents["DaemonSet"]["spec"]
    pod = spec["template"]["spec"]
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    assert documents["PodMonitor"]["spec"]["selector"] == spec["selector"]
    assert documents["NetworkPolicy"]["spec"]["podSelector"] == spec["selector"]
    assert {mount["name"] for mount in container(documents)["volumeMounts"]} == \
        {volume["name"] for volume in pod["volumes"]}
    assert {one["metadata"].get("namespace", "pstat") for one in documents.values()} == {"pstat"}
    port = container(documents)["ports"][0]
    assert f"$(POD_IP):{port['containerPort']}" in " ".join(container(documents)["args"])
    assert documents["PodMonitor"]["spec"]["podMetricsEndpoints"][0]["port"] == port["name"]


def only(numbers):
    """For preexec_fn: drops all capabilities except these numbers, as the container's runtime
    does."""
    default_signals()
    last = int(open("/proc/sys/kernel/cap_last_cap", encoding="ascii").read())
    for number in set(range(last + 1)) - set(numbers):
        LIBC.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="probe: geteuid: only root can drop capabilities")
def test_the_daemonset_counts_with_its_capabilities(documents, cgroup, sys_bpffs):
    assert sys_bpffs
    args = [arg.replace("$(POD_IP):9736", "127.0.0.1:0").replace("^kubepods", f"^{cgroup('pods')}")
            for arg in container(documents)["args"]]
    wanted = container(documents)["securityContext"]["capabilities"]
    assert wanted["drop"] == ["ALL"]
    numbers = [CAPABILITIES[f"CAP_{name}"] for name in wanted["add"]]
    with start(*args, preexec_fn=lambda: only(numbers)) as process:
        line = process.stderr.readline()
        found = re.search(r"the metrics are at (\S+)", line)
        if not found:
            line += process.stderr.read()
            assert "CAP_" not in line and "not permitted" not in line.lower(), line
            pytest.skip(f"probe: the DaemonSet's command line: {line}")
        held = re.search(r"CapEff:\s+(\w+)", open(f"/proc/{process.pid}/status",
                                                  encoding="ascii").read())[1]
        assert int(held, 16) == sum(1 << number for number in numbers)
        samples = openmetrics(fetched(found[1], OPENMETRICS)[0])
        assert [key for key in samples if key[0] == "pstat_cgroup_task_clock_seconds_total"]
        process.terminate()


def test_the_scrape_configurations_are_valid(tmp_path):
    promtool("check", "config", EXAMPLES / "prometheus.yml")
    # Debian's Prometheus has no service discovery for Kubernetes
    config = yaml.safe_load((EXAMPLES / "prometheus-kubernetes.yml").read_text(encoding="utf-8"))
    config["rule_files"] = [str(EXAMPLES / name) for name in config["rule_files"]]
    for one in config["scrape_configs"]:
        assert one.pop("kubernetes_sd_configs")
        one["static_configs"] = [{"targets": ["127.0.0.1:9736"]}]
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    promtool("check", "config", tmp_path / "prometheus.yml")


def test_the_image_is_built_from_targets_that_exist():
    text = (EXAMPLES / "Containerfile").read_text(encoding="utf-8")
    assert "scripts/deps build" in text and "make" in text and " deb " in text
    done = subprocess.run(["make", "-n", "deb", "EVENTS_SOURCE=", "DEBDIR=/"], cwd=TOP, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert os.path.basename(PSTAT) == "pstat"
