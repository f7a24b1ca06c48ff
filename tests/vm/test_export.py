# SPDX-License-Identifier: GPL-2.0-only
"""pstat export of BPF programs and cgroups: exact numbers of runs, histograms, and series that end,
in an arm64 guest whose instructions are exact."""
import os
import pathlib
import re

import pytest

from csv_rows import values
from guest import guest_outputs, kernels

FILES = [pathlib.Path(__file__).parent / "guest-files" / name for name in ("ask", "target")]
RUNS = 100

# the guest waits for programs and cgroups that come and go, which takes about a minute
pytestmark = pytest.mark.skipif(not os.environ.get("PSTAT_LONG"),
                                reason="long: PSTAT_LONG is not set")

COMMANDS = {
    "stat": f"""
. ./target
target --prog loop --loops 1000
pstat -x, -b $id -e run_cnt,instructions -- ./ask "run {RUNS}"
""", "export": f"""
. ./target
target --prog loop --loops 1000
pstat export --once -b $id --hist=instructions -e run_cnt,instructions -- ./ask "run {RUNS}"
""",
    # the first program is already loaded, the second one comes and goes
    "follow": """
. ./target
target --prog loop --loops 10
pstat export --textfile p.prom -I 100 -b all --follow -e run_cnt &
exporter=$!
n=0
while ! [ -s p.prom ] && [ $((n += 1)) -lt 500 ]; do usleep 50000; done
bpf-run --prog count --print-id --hold >other &
holder=$!
n=0
while ! grep -q '_count"' p.prom && [ $((n += 1)) -lt 300 ]; do usleep 50000; done
bpf-run --id $(cat other) --runs 50
./ask "run 7"
usleep 300000
sed s/^/loaded:/ p.prom
kill $holder; wait $holder
n=0
while grep -q '_count"' p.prom && [ $((n += 1)) -lt 300 ]; do usleep 50000; done
sed s/^/unloaded:/ p.prom
kill $exporter; wait $exporter
ls
""", "cgroups": """
mkdir /sys/fs/cgroup/one
pstat export --textfile c.prom -I 100 -a --bpf-counters --for-each-cgroup '^one,^two' \\
    --cgroup-follow -e instructions:u &
exporter=$!
n=0
while ! [ -s c.prom ] && [ $((n += 1)) -lt 500 ]; do usleep 50000; done
mkdir /sys/fs/cgroup/two
for group in one two; do
    sh -c 'echo $$ >/sys/fs/cgroup/'$group'/cgroup.procs; exec spin 5000000'
done
n=0
while ! grep -q two c.prom && [ $((n += 1)) -lt 100 ]; do usleep 50000; done
usleep 300000
sed s/^/both:/ c.prom
rmdir /sys/fs/cgroup/two
n=0
while grep -q two c.prom && [ $((n += 1)) -lt 100 ]; do usleep 50000; done
sed s/^/one:/ c.prom
kill $exporter; wait $exporter
rmdir /sys/fs/cgroup/one
""",
}


@pytest.fixture(scope="module", params=kernels("6.12"))
def results(request):
    return guest_outputs(COMMANDS, files=FILES, arch="aarch64", kernel=request.param, icount=True)


def samples(text, name, prefix=""):
    """Returns {labels: value} of the samples of `name` in lines that begin with `prefix`."""
    return {labels: float(value) for labels, value in re.findall(
        rf"^{prefix}{name}\{{([^}}]*)\}} (\S+)$", text, re.M)}


def test_runs_and_instructions_are_those_of_pstat_stat(results):
    counted = values(results["stat"])
    [runs] = samples(results["export"], "pstat_bpf_prog_runs_total").values()
    [instructions] = samples(results["export"], "pstat_bpf_prog_instructions_total").values()
    assert runs == counted["run_cnt"] == RUNS
    assert instructions == pytest.approx(counted["instructions"], rel=0.01)


def test_the_histogram_has_all_runs_and_their_sum(results):
    text = results["export"]
    name = "pstat_bpf_prog_run_instructions"
    [(labels, count)] = samples(text, name + "_count").items()
    assert count == RUNS
    assert list(samples(text, name + "_sum").values()) == list(
        samples(text, "pstat_bpf_prog_instructions_total").values())
    buckets = list(samples(text, name + "_bucket").values())
    assert buckets == sorted(buckets) and buckets[0] == 0 and buckets[-1] == RUNS
    assert re.search(r'^id="\d+",name="\w+",type="xdp",tag="[0-9a-f]{16}"$', labels)


def test_a_program_that_is_loaded_later_has_series_until_it_is_unloaded(results):
    text = results["follow"]
    loaded = samples(text, "pstat_bpf_prog_runs_total", "loaded:")
    assert sorted(loaded.values()) == [7, 50]
    [first] = samples(text, "pstat_bpf_prog_runs_total", "unloaded:")
    assert loaded[first] == 7


def test_a_signal_removes_the_file(results):
    assert ".prom" not in results["follow"].splitlines()[-1]


def test_a_cgroup_that_is_made_later_has_series_until_it_is_removed(results):
    both, one = (samples(results["cgroups"], "pstat_cgroup_instructions_u_total", prefix)
                 for prefix in ("both:", "one:"))
    assert set(both) == {'cgroup="/one"', 'cgroup="/two"'}
    # the same work, except for the addresses at which the programs are loaded
    assert both['cgroup="/one"'] == pytest.approx(both['cgroup="/two"'], rel=0.02)
    assert one == {'cgroup="/one"': both['cgroup="/one"']}
