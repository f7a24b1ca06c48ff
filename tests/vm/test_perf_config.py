# SPDX-License-Identifier: GPL-2.0-only
"""Sessions share counters without an option if perf's configuration requests it."""

import re

from guest import guest

SESSIONS = r"""
printf '[stat]\nbig-num = false\nbpf-counter-events = context-switches\n' > /etc/perfconfig
printf '[stat]\nbpf-counter-events = cs , task-clock\n' > $HOME/.perfconfig
pstat -a -x, -e cs,task-clock,context-switches --timeout 3000 2>first &
until bpftool prog | grep -q on_switch; do :; done
pstat -v -e task-clock,cs,page-faults,cs:u spin 1000000 2>second; echo "second: $?"
bpftool prog | grep -c on_switch
wait $!; echo "first: $?"
cat second
bpftool prog | grep -c on_switch
PERF_CONFIG= pstat -v -e cs true
"""


def test_sessions_share_the_events_that_the_users_file_names():
    text = guest(SESSIONS, arch="x86_64", cpus=2).stdout
    statuses, said = text.split("pstat: ", 1)
    assert statuses.split() == ["second:", "0", "1", "first:", "0"], text
    said, after = re.split(r"^0$", "pstat: " + said, maxsplit=1, flags=re.M)
    for event in ("task-clock", "cs"):
        assert f"pstat: {event}: counted through BPF, because /root/.perfconfig:2 names it" in said
    assert said.count("counted through BPF") == 2
    # the first session made the leader
    assert "made the leader" not in said and re.search(r"^ +\d+ +page-faults ", said, re.M)
    assert "BPF" not in after and " cs " in after
