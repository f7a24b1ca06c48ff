# SPDX-License-Identifier: GPL-2.0-only
"""pstat export as an ordinary user with the capabilities that examples/export/pstat-export.service
names, with the counters of a PMU. `make check-long` runs this."""

import pytest

from guest import LONG, guest_outputs, kernels

SYSCTL = "/proc/sys/kernel/perf_event_paranoid"
CPUS = "-a -e cycles,instructions"
CGROUPS = "-a --bpf-counters --cgroup-follow --for-each-cgroup ^ -e cycles,instructions"
PROGRAMS = "-b all --follow -e cycles"
# what works with which capabilities if kernel.perf_event_paranoid is 2
ENOUGH = {
    "perfmon": {CPUS}, "bpf": set(), "bpf,perfmon": {CPUS, CGROUPS},
    "sys_admin": {CPUS, CGROUPS, PROGRAMS}
}


def export(caps, args):
    return f"with-caps {caps} pstat export --once -I 50 {args} 2>&1 || true"


@pytest.mark.skipif(not LONG, reason="probe: PSTAT_LONG: not set")
@pytest.mark.parametrize("kernel", kernels("6.12"))
def test_the_capabilities_of_the_unit_are_enough_on_a_machine_with_a_pmu(kernel):
    commands = {"level": f"cat {SYSCTL}", "refused": export("bpf,perfmon", CPUS),
                "set": f"echo 2 >{SYSCTL}"}
    commands |= {(caps, args): export(caps, args) for caps in ENOUGH
                 for args in (CPUS, CGROUPS, PROGRAMS)}
    said = guest_outputs(commands, arch="aarch64", kernel=kernel, icount=True)
    assert said["level"] == "3\n"  # Debian's default
    assert "CAP_PERFMON is not enough at level 3" in said["refused"]
    for caps, works in ENOUGH.items():
        for args in (CPUS, CGROUPS, PROGRAMS):
            is_up = 'pstat_event_up{event="cycles"} 1' in said[caps, args]
            assert is_up == (args in works), (caps, args, said[caps, args])
