# SPDX-License-Identifier: GPL-2.0-only
"""Pinned maps, leaders and lock files that another user made or changed. This user has CAP_BPF and
CAP_PERFMON, and everybody may pin in the BPF file system, as in the one that the kernel mounts by
default. Root's counts must equal those of native events, pstat must use none of this user's
objects, and a warning must say what is wrong and what to do. pstat still uses objects that root and
perf have made."""
import pathlib
import re

import pytest

from csv_rows import rows
from guest import guest_each

FILES = [
    pathlib.Path(__file__).parent / "guest-files" / name
    for name in ("sessions", "bpf-objects", "map-dump")
]
MAP = "/sys/fs/bpf/perf_attr_map"
CGROUPS = "/sys/fs/bpf/pstat_cgroups"
LOCK = "/run/pstat.lock"
OTHER = "with-caps bpf,perfmon"
EVENTS = "page-faults,page-faults:b,cs,cs:b"
NATIVE = "page-faults", "cs"

# $task has many page faults, and few context switches
BEGIN = f"""
umount /sys/fs/bpf; mount -t bpf bpf /sys/fs/bpf; stat -c 'bpffs %a' /sys/fs/bpf
rm -rf {LOCK}; chmod 755 /run
. ./sessions
spin --nap 1000 200000 & task=$!
until_says() {{ for attempt in $(seq 500); do grep -qs $1 log && return; usleep 10000; done
echo "not $1"; cat log; }}
# with a higher value, Debian's kernels require CAP_SYS_ADMIN even for counting
echo 2 >/proc/sys/kernel/perf_event_paranoid
count() {{ pstat -x, -e {EVENTS} "$@" -- faults 3000; }}
"""
END = f"""
kill $task $bad 2>/dev/null; wait
umount /sys/fs/bpf; mount -t bpf bpf /sys/fs/bpf; rm -rf {LOCK}
"""
SWAP = "perf-abi-corrupt swap"


def swapped(who, options=""):
    """A session publishes two events, and their entries are swapped. The test looks at the session
    after that."""
    return f"""
rm -f log; {who} {SWAP} {options} >log 2>&1 & bad=$!; until_says ready
stat -c 'owner %u mode %a' {MAP}
start -e page-faults:b,cs:b -p $task {"--bpf-attr-map" + options[5:] if options else ""}; ask 1
usleep 200000; cat log
echo "# count"; count -v {"--bpf-attr-map" + options[5:] if options else ""}
echo "# end"; end_all; ./map-dump | wc -l
"""


CASES = {
    "planted": swapped(OTHER), "swapped in root's map": swapped(""),
    "in a folder of the other user": f"""
mkdir -m 755 /sys/fs/bpf/theirs
perf-abi leader task-clock --map /sys/fs/bpf/theirs/map & usleep 200000; kill $!
chown 65534 /sys/fs/bpf/theirs
echo "# count"; count --bpf-attr-map /sys/fs/bpf/theirs/map
""", "in a folder that all may write to": f"""
pstat -e cs:b true 2>/dev/null; chmod 777 /sys/fs/bpf
echo "# count"; count
""", "writable by all": f"""
pstat -e cs:b true 2>/dev/null; chmod 666 {MAP}
echo "# count"; count
""", "a symbolic link": f"""
pstat -e cs:b --bpf-attr-map /sys/fs/bpf/map true 2>/dev/null
{OTHER} ln -s /sys/fs/bpf/map {MAP}
echo "# count"; count
""", "the leader of another user": f"""
rm -f log; {OTHER} perf-abi leader page-faults:b cs:b \\
    --map /sys/fs/bpf/theirs >log 2>&1 & bad=$!; until_says ready
perf-abi leader task-clock:b & usleep 200000; kill $!
./map-dump /sys/fs/bpf/theirs | while IFS='=' read -r key value; do
    bpftool map update pinned {MAP} key hex $key value hex $value
done
echo "# count"; count
""", "perf's own map": f"""
rm -f log; perf-abi leader page-faults:b cs:b >log 2>&1 & bad=$!; until_says ready
stat -c 'owner %u mode %a' {MAP}
echo "# count"; count -v
""", "flickering": f"""
rm -f log; {OTHER} perf-abi-corrupt flicker >log 2>&1 & bad=$!; until_says ready
for i in $(seq 12); do echo "# count"; count; done
kill -KILL $bad; wait $bad; rm -rf {MAP} {MAP}.real
""", "the map of cgroups": f"""
{OTHER} bpftool map create {CGROUPS} type hash key 4 value 4 entries 8 name other flags 1
mkdir -p /sys/fs/cgroup/hostile
echo "# count"
pstat -x, -a --bpf-counters --for-each-cgroup hostile -e page-faults -- \\
    sh -c 'echo $$ >/sys/fs/cgroup/hostile/cgroup.procs; exec faults 3000'
echo "# end"; bpftool map dump pinned {CGROUPS}; ls /sys/fs/bpf
""", "the cgroup leader of another user": f"""
mkdir -p /sys/fs/cgroup/hostile; rm -f log
{OTHER} pstat -v -a --bpf-counters --for-each-cgroup hostile -e page-faults \\
    --timeout 20000 >log 2>&1 & bad=$!
number() {{ sed -n 's/^\\([0-9]*\\): .*/\\1/p'; }}
of_prog() {{ bpftool link show | grep "prog $(bpftool prog show name $1 | number)" | number; }}
moves() {{ bpftool link show | grep -B1 "tp 'cgroup_attach_task'" | number; }}
hex() {{ echo "$(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) 0"; }}
for attempt in $(seq 500); do [ -n "$(moves)" ] && break; usleep 10000; done
bpftool prog show name on_switch; echo "links $(of_prog on_switch) $(moves)"
bpftool map create {CGROUPS} type hash key 4 value 4 entries 1024 name pstat_cgroups flags 1
chmod 600 {CGROUPS}
bpftool map update pinned {CGROUPS} key $(hex $(of_prog on_switch)) value $(hex $(moves))
echo "# count"
pstat -v -x, -a --bpf-counters --for-each-cgroup hostile -e page-faults -- \\
    sh -c 'echo $$ >/sys/fs/cgroup/hostile/cgroup.procs; exec faults 3000'
""", "no bpffs, and none can be mounted": f"""
umount /sys/fs/bpf; most=$(cat /proc/sys/fs/mount-max); echo 1 >/proc/sys/fs/mount-max
echo "# count"; count
echo $most >/proc/sys/fs/mount-max; mount -t bpf bpf /sys/fs/bpf
""", "no bpffs yet": f"""
umount /sys/fs/bpf
echo "# count"; count -v; stat -c 'mounted %a' /sys/fs/bpf
""", "a lock that the other user can hold": f"""
chmod 1777 /run; {OTHER} mkfifo {LOCK}
echo "# count"; count
rm {LOCK}; chmod 755 /run; touch {LOCK}; chmod 644 {LOCK}
echo "# count"; count
rm {LOCK}; chmod 777 /run
echo "# count"; count
chmod 755 /run
""", "a lock that is held": f"""
perf-abi hold-file {LOCK} >log & bad=$!; until_says ready
echo holder $bad
{{ sleep 9; kill $bad; }} & begin=$(cut -d. -f1 /proc/uptime)
echo "# count"; count -v
echo "# end"; echo waited $(($(cut -d. -f1 /proc/uptime) - begin))
perf-abi hold-file {LOCK} >log & bad=$!; until_says ready; kill -STOP $bad
echo stopped $bad; begin=$(cut -d. -f1 /proc/uptime)
echo "# count"; count
echo "# end"; echo waited $(($(cut -d. -f1 /proc/uptime) - begin)); kill -KILL $bad
""",
}


@pytest.fixture(scope="module", params=[("x86_64", "6.12")], ids="-".join)
def results(request):
    arch, kernel = request.param
    done = guest_each({name: BEGIN + command + END for name, command in CASES.items()}, files=FILES,
                      arch=arch, kernel=kernel, icount=True, timeout=300)
    return {name: result.stdout for name, result in done.items()}


def counts_of(text):
    """Returns the parts of the text, one for each count of EVENTS."""
    return [part.split("# end\n")[0] for part in text.split("# count\n")[1:]]


def check(part):
    counted = {row.event: row.value for row in rows(part)}
    for event in NATIVE:
        assert counted[event] and counted[f"{event}:b"] == pytest.approx(
            counted[event], abs=5
        ), part
    # otherwise the counts of the two events could be confused
    assert counted["page-faults"] > 2000 > 10 * counted["cs"], part
    return part


def warnings(part):
    return " ".join(line[7:] for line in part.splitlines()
                    if line.startswith(("pstat: ", "       ")))


def check_warned(part, *words):
    check(part)
    assert all(word in warnings(part) for word in words), part


def test_everybody_may_pin_in_the_bpf_file_system(results):
    assert all(text.startswith("bpffs 1777\n") for text in results.values())


def test_a_map_that_another_user_has_pinned_is_neither_read_nor_written(results):
    text = results["planted"]
    assert "owner 65534 mode 600" in text, text
    check_warned(counts_of(text)[0], MAP, "belongs to user 65534", "not shared", f"rm -r {MAP}")
    # the first session put nothing into the map, so there was nothing to swap
    assert "swapped" not in text and text.rstrip().endswith("\n0"), text


def test_a_leader_of_pstat_is_found_under_its_own_key_only(results):
    text = results["swapped in root's map"]
    assert "owner 0 mode 600" in text and "swapped" in text, text
    check_warned(
        counts_of(text)[0], "event 2: pstat makes another leader: link",
        "event 4: pstat makes another leader: link",
        "it counts another event than its entry in the map says")


def test_a_folder_in_which_another_user_can_rename_files_is_not_used(results):
    check_warned(
        counts_of(results["in a folder of the other user"])[0],
        "/sys/fs/bpf/theirs belongs to user 65534", "chown root, chmod go-w")
    check_warned(
        counts_of(results["in a folder that all may write to"])[0],
        "other users may write to /sys/fs/bpf (mode 0777)", "chown root, chmod go-w")


def test_a_map_that_others_may_write_to_is_not_used(results):
    check_warned(
        counts_of(results["writable by all"])[0], f"other users may write to {MAP} (mode 0666)",
        f"rm -r {MAP}")


def test_a_symbolic_link_is_not_followed(results):
    check_warned(
        counts_of(results["a symbolic link"])[0], f"{MAP} is a symbolic link", f"rm -r {MAP}")


def test_a_leader_that_another_user_has_loaded_is_not_joined(results):
    text = results["the leader of another user"]
    check_warned(
        counts_of(text)[0], "event 2: pstat makes another leader: link",
        "event 4: pstat makes another leader: link", "another user has loaded its program")


def test_the_map_that_perf_makes_as_root_remains_shared(results):
    text = results["perf's own map"]
    assert "owner 0 mode 600" in text, text
    part = check(counts_of(text)[0])
    assert len(re.findall(r"which another tool made$", part, re.M)) == 2, part
    assert "not trusted" not in part and "not shared" not in part, part


def test_a_path_whose_object_changes_all_the_time_is_never_used(results):
    parts = counts_of(results["flickering"])
    assert len(parts) == 12
    for part in parts:
        check(part)
        assert not warnings(part) or "not shared" in warnings(part), part


def test_a_map_of_cgroup_sessions_of_another_user_is_not_used(results):
    text = results["the map of cgroups"]
    part = counts_of(text)[0]
    assert re.search(r"^\d+,,page-faults,hostile,", part, re.M), part
    assert int(re.search(r"^(\d+),,page-faults,hostile,", part,
                         re.M)[1]) == pytest.approx(3000, abs=200), part
    assert all(word in warnings(part) for word in ("--for-each-cgroup: not shared", CGROUPS,
                                                   "belongs to user 65534", "rm -r")), part
    assert "Found 0 elements" in text and text.rstrip().endswith("pstat_cgroups"), text


def test_a_leader_of_cgroups_that_another_user_has_loaded_is_not_joined(results):
    text = results["the cgroup leader of another user"]
    links = re.search(r"^links (\d+) (\d+)$", text, re.M)
    assert links and "uid 65534" in text, text
    part = counts_of(text)[0]
    assert int(re.search(r"^(\d+),,page-faults,hostile,", part,
                         re.M)[1]) == pytest.approx(3000, abs=200), part
    assert (
        f"link {links[1]} is not trusted: another user has loaded its program (uid 65534)"
        in warnings(part)
    ), part
    assert "which another session made" not in part and "made the leader of link" in part, part


def test_the_advice_to_mount_a_bpffs_gives_only_its_owner_access(results):
    """pstat mounts one itself with the same option. The kernel adds the sticky bit."""
    mount = "mount -t bpf -o mode=700 bpf /sys/fs/bpf"
    check_warned(
        counts_of(results["no bpffs, and none can be mounted"])[0],
        "no BPF file system is mounted at /sys/fs/bpf", "No space left on device", f"run: {mount}")
    page = pathlib.Path(__file__).parents[2] / "Documentation/pstat.1.adoc"
    assert mount in page.read_text(encoding="utf-8")
    text = results["no bpffs yet"]
    assert "mounted a BPF file system at /sys/fs/bpf" in check(counts_of(text)[0]), text
    assert re.search(r"^mounted 1?700$", text, re.M), text


def test_a_lock_file_that_another_user_could_hold_is_not_used(results):
    fifo, readable, folder = counts_of(results["a lock that the other user can hold"])
    check_warned(fifo, f"{LOCK} belongs to user 65534")
    check_warned(readable, f"{LOCK} is not a regular file that only its owner can open (mode 0644)")
    check_warned(folder, "other users may write to /run (mode 0777)")


def test_pstat_waits_for_a_running_session_but_not_for_a_stopped_one(results):
    """A session that stops waiting makes a leader of its own while another session is about to make
    one, so pstat warns."""
    text = results["a lock that is held"]
    held, stopped = counts_of(text)
    waited = [int(number) for number in re.findall(r"^waited (\d+)$", text, re.M)]
    check_warned(held, f"{LOCK}: waiting for process {re.search('holder (.*)', text)[1]},")
    assert waited[0] >= 8 and "does not release it" not in held, text
    check_warned(
        stopped, f"{LOCK}: process {re.search('stopped (.*)', text)[1]} has the lock, and is "
        "stopped or does not release it")
    assert waited[1] <= 2, text
