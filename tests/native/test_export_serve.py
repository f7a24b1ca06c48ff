# SPDX-License-Identifier: GPL-2.0-only
"""pstat export --listen: the server, its sockets, and malicious clients."""

import contextlib
import gzip
import http.client
import itertools
import os
import pathlib
import re
import resource
import select
import signal
import socket
import stat
import subprocess
import sys
import time

import pytest

from cgroup_bpf import in_bpf
from native import (FAILED, PATIENCE, PSTAT, USAGE, default_signals, links_of, proc_text, run,
                    start, urgent, wait_for, workload)
from prometheus import OPENMETRICS, fetched, openmetrics

LONG = bool(os.environ.get("PSTAT_LONG"))
BAD_CLIENTS = pathlib.Path(__file__).with_name("bad_clients.py")
ADDRESS = "127.0.0.1:0"
WORDS = "pstat: the metrics are at "


@contextlib.contextmanager
def serving(*args, listen=ADDRESS, **popen):
    """Starts `pstat export --listen`, and yields the process when it counts. The member `url` is
    the address of the metrics. At the end, SIGTERM must end the process without a message."""
    with start("export", *(["--listen", listen] if listen else []), *args, **popen) as process:
        line = process.stderr.readline()
        assert line.startswith(WORDS), line + process.stderr.read()
        process.url = line[len(WORDS):].strip()
        yield process
        process.terminate()
        assert process.communicate(timeout=PATIENCE)[1] == ""
        assert process.returncode == 0


def port_of(process):
    return int(re.search(r":(\d+)/", process.url)[1])


class UnixConnection(http.client.HTTPConnection):
    """A connection to the socket at a path."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


def fetch_unix(path):
    connection = UnixConnection(path)
    connection.request("GET", "/metrics")
    with connection.getresponse() as answer:
        assert answer.status == 200
        text = answer.read().decode()
    connection.close()
    return text


# ---- pages ----


def test_each_page_is_a_new_reading_in_the_format_that_the_client_prefers():
    with serving("-a", "-e", "duration_time") as process:
        text, kind = fetched(process.url)
        assert kind == "text/plain; version=0.0.4; charset=utf-8" and "# EOF" not in text
        values = []
        for _ in range(2):
            text, kind = fetched(process.url, OPENMETRICS)
            assert kind == "application/openmetrics-text; version=1.0.0; charset=utf-8"
            values.append(next(value for (name, _), value in openmetrics(text).items()
                               if name == "pstat_duration_time_seconds_total"))
            time.sleep(0.11)
        assert values[1] - values[0] > 0.1


def test_many_clients_share_a_reading():
    with serving("-a", "-e", "cs") as process:
        for _ in range(20):
            begin = time.monotonic()
            readings = [re.search(r"^pstat_readings_total (\d+)", fetched(process.url)[0], re.M)[1]
                        for _ in range(2)]
            if time.monotonic() - begin < 0.05:
                assert readings[0] == readings[1] or int(readings[1]) == int(readings[0]) + 1
                if readings[0] == readings[1]:
                    return
        raise AssertionError("each of two clients within 50 ms caused a reading")


def test_the_page_is_compressed_for_clients_of_other_machines_that_accept_it(tmp_path):
    script = ("ip link set lo up && ip address add 192.0.2.1/32 dev lo && exec \"$@\"")
    probe = subprocess.run(["unshare", "-n", "sh", "-c", script, "sh", "true"], check=False,
                           capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"probe: unshare -n, ip address add: {probe.stderr.strip()}")
    client = tmp_path / "client.py"
    client.write_text(
        "import http.client, subprocess, sys\n"
        "pstat = subprocess.Popen(sys.argv[1:], stderr=subprocess.PIPE, text=True)\n"
        "port = int(pstat.stderr.readline().rpartition(':')[2].partition('/')[0])\n"
        "for host in '192.0.2.1', '127.0.0.1':\n"
        "    for accept in 'gzip', 'br':\n"
        "        client = http.client.HTTPConnection(host, port)\n"
        "        client.request('GET', '/metrics', headers={'Accept-Encoding': accept})\n"
        "        answer = client.getresponse()\n"
        "        print(answer.getheader('Content-Encoding'), answer.read().hex())\n"
        "pstat.terminate()\n", encoding="utf-8")
    done = subprocess.run(
        ["unshare", "-n", "sh", "-c", script, "sh", sys.executable, client,
         PSTAT, "export", "--listen", "0.0.0.0:0", "-a", "-e", "cs"],
        capture_output=True, text=True, check=True, timeout=PATIENCE)
    encodings, pages = zip(*(line.split() for line in done.stdout.splitlines()))
    assert encodings == ("gzip", "None", "None", "None")
    assert gzip.decompress(bytes.fromhex(pages[0])).startswith(b"# HELP pstat_cs")
    assert all(bytes.fromhex(page).startswith(b"# HELP pstat_cs") for page in pages[1:])


def peak_kb(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", proc_text(pid, "status"))[1])


@in_bpf[0]
@in_bpf[1]
def test_the_previous_page_is_released_before_the_next_one_is_made(cgroup):
    top = "long"
    cgroup(top)
    for letter in "abcdefgh":
        top += "/" + letter * 250
        cgroup(top)
    names = [cgroup(f"{top}/{number}") for number in range(50)]
    with serving("-a", "--bpf-counters", "--for-each-cgroup", ",".join(names), "-e",
                 ",".join(["cs"] * 16)) as process:
        size = len(fetched(process.url)[0])
        assert size > 1 << 20
        first = peak_kb(process.pid)
        for _ in range(4):
            time.sleep(0.11)  # each page is valid for 100 ms
            fetched(process.url)
        assert 1024 * (peak_kb(process.pid) - first) < size / 2


# ---- sockets ----


def test_an_address_is_checked_before_anything_is_counted():
    for address in ("9736", ":9736", "localhost:9736", "unix:pstat.sock", "127.0.0.1:http"):
        done = run("export", "--listen", address, "-a", "-e", "cs")
        assert done.returncode == USAGE and done.stderr.startswith(f"pstat: --listen {address}: ")
    with serving("-a", "-e", "cs") as process:
        done = run("export", "--listen", f"127.0.0.1:{port_of(process)}", "-a", "-e", "cs")
        assert done.returncode == FAILED and "another program listens there" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_unix_socket_is_removed_when_a_signal_ends_pstat(tmp_path, number):
    path = tmp_path / "socket"
    with start("export", "--listen", f"unix:{path}", "-a", "-e", "cs") as process:
        assert process.stderr.readline() == f"{WORDS}unix:{path}\n"
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert "pstat_cs_total" in fetch_unix(path)
        process.send_signal(number)
        process.wait(timeout=PATIENCE)
    assert not path.exists()


def test_a_unix_socket_is_removed_when_the_command_ends_or_cannot_start(tmp_path):
    path = tmp_path / "socket"
    done = run("export", "--listen", f"unix:{path}", "-e", "page-faults:u", *workload("spin", 1))
    assert done.returncode == 0 and not path.exists()
    done = run("export", "--listen", f"unix:{path}", "-e", "page-faults:u", tmp_path / "nothing")
    assert done.returncode == 127 and not path.exists()


def test_after_sigkill_nothing_is_left_that_keeps_the_next_pstat_from_counting(tmp_path):
    path = tmp_path / "socket"
    address = f"unix:{path}"
    totals = []
    for _ in range(2):
        with start("export", "--listen", address, "-a", "-e", "duration_time") as process:
            assert process.stderr.readline().startswith(WORDS)
            time.sleep(0.05)
            text = fetch_unix(path)
            totals.append(float(re.search(r"^pstat_duration_time_seconds_total (\S+)", text,
                                          re.M)[1]))
            done = run("export", "--listen", address, "-a", "-e", "cs")
            assert done.returncode == FAILED and "another process listens there" in done.stderr
            process.kill()
            process.wait()
    # a new process counts from 0, which rate() recognizes as a reset of the counter
    assert all(0.04 < total < 5 for total in totals)


def passing(listener, extra=""):
    """Returns the beginning of a command line, and options for Popen. Together, they pass the
    socket `listener` to a program, as a service manager does."""
    def child():
        default_signals()
        os.dup2(listener.fileno(), 3)
    words = f'LISTEN_PID=$$ LISTEN_FDS=1 {extra} exec "$@"'
    return ["sh", "-c", words, "sh"], {"preexec_fn": child, "pass_fds": [3]}


def test_a_service_manager_passes_the_socket_and_learns_when_pstat_counts(tmp_path):
    notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notified.bind(str(tmp_path / "notify"))
    notified.settimeout(PATIENCE)
    listener = socket.create_server(("127.0.0.1", 0))
    prefix, popen = passing(listener, f"NOTIFY_SOCKET={tmp_path}/notify")
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/metrics"
    with subprocess.Popen([*prefix, PSTAT, "export", "-a", "-e", "cs"], text=True,
                          stderr=subprocess.PIPE, **popen) as process:
        assert notified.recv(100) == b"READY=1"
        assert process.stderr.readline() == f"{WORDS}{url}\n"
        assert "pstat_cs_total" in fetched(url)[0]
        process.terminate()
        assert notified.recv(100) == b"STOPPING=1"
        assert process.wait(timeout=PATIENCE) == 0
    done = subprocess.run([*prefix, PSTAT, "export", "--listen", ADDRESS, "-a", "-e", "cs"],
                          check=False, text=True, capture_output=True, **popen)
    assert done.returncode == FAILED and "omit --listen" in done.stderr
    notified.close()
    listener.close()


# ---- bad clients ----


def test_there_are_files_for_all_connections():
    """With too few files, the server could not accept a new connection and then close an older
    one, so silent clients would lock out others."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    events = ",".join(["cs"] * 40)

    def few_files():
        default_signals()
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))

    with serving("-a", "-e", events, preexec_fn=few_files) as process:
        nr = len(links_of(process.pid))
        assert nr > 40
        silent = [socket.create_connection(("127.0.0.1", port_of(process)),
                                           source_address=(f"127.0.1.{number}", 0))
                  for number in range(1, 5) for _ in range(24)]
        # none of them is closed
        wait_for("all connections are accepted", lambda: len(links_of(process.pid)) >= nr + 96)
        assert "pstat_cs_40_total" in fetched(process.url)[0]
        for one in silent:
            one.close()


INTERVAL = 0.02


def late_times(file, seconds):
    """Watches the textfile for `seconds`. Returns the delay of each reading after a multiple of the
    interval, in seconds."""
    times, deadline = [], time.monotonic() + seconds
    while time.monotonic() < deadline:
        text = file.read_text(encoding="ascii")
        found = float(re.search(r"^pstat_duration_time_seconds_total (\S+)", text, re.M)[1])
        if not times or found != times[-1]:
            times.append(found)
        time.sleep(0.002)
    return [found % INTERVAL for found in times]


def attack(process, file, nr, seed):
    """Sends bad requests, and returns how late the readings were during this time."""
    with subprocess.Popen([sys.executable, BAD_CLIENTS, str(port_of(process)), str(nr), str(seed)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as bad:
        late = late_times(file, 0.3)
        while bad.poll() is None and not select.select([bad.stdout], [], [], 0)[0]:
            late += late_times(file, 0.1)
        fates = list(map(int, bad.stdout.readline().split()))
        assert sum(fates) == nr and fates[2] <= 32, fates  # at most 32 may stay open
        # the server answers others while these are open
        begin = time.monotonic()
        assert "pstat_duration_time_seconds_total" in fetched(process.url)[0]
        assert time.monotonic() - begin < 2
        bad.communicate("")
    return late


def share_late(rounds):
    """Returns the share of the readings that were at least 5 ms late."""
    late = [found >= 0.005 for found in itertools.chain(*rounds)]
    return sum(late) / len(late)


def test_bad_requests_do_not_delay_an_interval_by_5_ms(tmp_path):
    file = tmp_path / "pstat.prom"
    rounds = 20 if LONG else 4
    with serving("--textfile", file, "-I", int(INTERVAL * 1000), "-a", "-e", "duration_time,cs",
                 preexec_fn=urgent) as process:
        wait_for("the first interval", file.exists)
        before = links_of(process.pid)
        quiet, attacked = [], []
        for seed in range(rounds):
            quiet.append(late_times(file, 0.3))
            attacked.append(attack(process, file, 250, seed))
        # If a hypervisor stops the machine, a few intervals are late, with and without requests.
        assert share_late(attacked) < 0.2 + share_late(quiet), (quiet, attacked)
        if LONG:
            assert max(itertools.chain(*attacked)) < 0.005 + max(itertools.chain(*quiet))
        wait_for("the server closes what is incomplete",
                 lambda: len(links_of(process.pid)) <= len(before) + 1)
