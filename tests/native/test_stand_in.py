# SPDX-License-Identifier: GPL-2.0-only
"""pstat in the place of perf: the version, and command lines under the name perf. The tests also
check that scripts do not take messages for rows.
"""

import os
import re
import subprocess

import pytest

import native
from native import PATIENCE, PSTAT, run

ANOTHER_PERF = "#!/bin/sh\necho another perf: \"$@\"\nexit 7\n"


def script(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="ascii")
    path.chmod(0o755)
    return path.parent


@pytest.fixture
def link(tmp_path):
    """Makes a directory in which pstat is called perf."""
    folder = tmp_path / "pstat"
    folder.mkdir()
    (folder / "perf").symlink_to(os.path.realpath(PSTAT))
    return folder


@pytest.fixture
def other(tmp_path):
    """Makes a directory with another perf, which prints its arguments."""
    return script(tmp_path / "other/perf", ANOTHER_PERF)


def perf(*words, path, name="perf"):
    env = {**os.environ, **native.IN_C, "PATH": ":".join(map(str, path))}
    env.pop("PSTAT_PERF_DEPTH", None)
    argv = ["/bin/sh", "-c", 'exec "$0" "$@"', str(name), *map(str, words)]
    return subprocess.run(argv, env=env, capture_output=True, text=True, check=False,
                          timeout=PATIENCE, stdin=subprocess.DEVNULL,
                          preexec_fn=native.default_signals)


# ---- the version ----

def test_a_single_v_prints_the_version_and_vv_also_the_build_options():
    version = run("--version").stdout
    assert re.fullmatch(r"pstat version \d+\.\d+\n", version)
    for words, more in ((("-v",), ()), (("version",), ()), (("-vv",), ("--build-options",)),
                        (("version", "--build-options"), ("--build-options",))):
        done = run(*words)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == (run("version", *more).stdout if more else version)


def test_v_with_an_event_or_a_command_still_counts():
    done = run("-v", "-e", "cs", "true")
    assert done.returncode == 0 and "Performance counter stats for 'true'" in done.stderr


def test_build_options_have_the_layout_of_perfs():
    first, *lines = run("version", "--build-options").stdout.splitlines()
    assert first.startswith("pstat version ")
    rows = [re.fullmatch(r" *(\S+): \[ (on |OFF) \]  # (HAVE_\w+)", line) for line in lines]
    assert all(rows) and {len(line.split(":")[0]) for line in lines} == {22}
    state = {row[3]: row[2].strip() for row in rows}
    assert state["HAVE_BPF_SKEL"] == state["HAVE_LIBELF_SUPPORT"] == "on"
    assert state["HAVE_LIBPERL_SUPPORT"] == "OFF"
    without_library = "install libpfm" in run("--pfm-events", "no::such", "true").stderr
    assert state["HAVE_LIBPFM"] == ("OFF" if without_library else "on")


# ---- under the name perf ----

@pytest.mark.parametrize("words", [["-v"], ["--version"], ["version"], ["--no-pager", "version"],
                                   ["-v", "stat"]], ids=" ".join)
def test_the_version_of_a_stand_in_is_that_of_the_replaced_perf(link, words):
    done = perf(*words, path=[link])
    own = run("--version").stdout.split()[-1]
    assert done.stdout == f"perf version 6.12.0-pstat-{own}\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_build_options_of_pstat_under_the_name_perf_are_queried_as_those_of_perf(link):
    done = perf("-vv", path=[link])
    assert done.stdout == perf("version", "--build-options", path=[link]).stdout
    assert re.search(r"^perf version .*\n +aio: \[ ", done.stdout)


@pytest.mark.parametrize("before", [[], ["--no-pager"], ["-p"], ["--debugfs-dir", "/d"],
                                    ["--debugfs-dir=/d"], ["--debug", "verbose=1"],
                                    ["--buildid-dir", "/b", "--paginate"]], ids=" ".join)
def test_options_before_the_command_are_read_as_perf_reads_them(link, before):
    done = perf(*before, "stat", "-x,", "-e", "cs", "/bin/true", path=[link])
    assert done.returncode == 0
    assert re.fullmatch(r"\d+,,cs,\d+,100\.00,.*\n", done.stderr), done.stderr


def test_stat_counts_and_has_the_options_of_pstat(link):
    done = perf("stat", "-e", "cs", "--", "/bin/sh", "-c", "exit 3", path=[link])
    assert done.returncode == 3
    assert "Performance counter stats for '/bin/sh -c exit 3'" in done.stderr


@pytest.mark.parametrize("words,code,text", [([], 1, ""),
                                             (["-e", "cs"], 129, "Unknown option: -e\n"),
                                             (["--no-such"], 129, "Unknown option: --no-such\n")])
def test_without_a_command_the_usage_is_printed_as_perf_prints_it(link, words, code, text):
    done = perf(*words, path=[link])
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == f"{text}\n Usage: perf [--version] [--help] [OPTIONS] COMMAND [ARGS]\n\n"


@pytest.mark.parametrize(
    "words", [["bench", "sched"], ["stat", "record", "-e", "cs", "true"], ["stat", "rep"],
              ["stat", "-a", "record"], ["stat", "-e", "cs", "rec", "-o", "f", "--", "true"],
              ["stat", "-x,", "--", "report", "-i", "f"], ["--no-pager", "record", "-a"],
              ["--list-cmds"], ["--exec-path"], ["help", "record"], ["nosuch"]], ids=" ".join)
def test_other_commands_are_passed_to_the_next_perf_in_path(link, other, words):
    for path in ([link, other], [other.parent / "none", link, other], [link, link, other]):
        done = perf(*words, path=path, name=link / "perf")
        assert done.stdout == f"another perf: {' '.join(words)}\n"
        assert (done.returncode, done.stderr) == (7, "")


def test_a_command_called_record_can_be_counted(link, other, tmp_path):
    script(tmp_path / "record", "#!/bin/sh\nexit 5\n")
    done = perf("stat", "-e", "cs", "--", tmp_path / "record", path=[link, other])
    assert done.returncode == 5 and "another perf" not in done.stdout


def test_the_word_record_in_the_arguments_of_stat_is_not_passed_on(link, other):
    for words in (["-o", "record"], ["--", "/bin/echo", "record"], ["-x,", "/bin/echo", "report"]):
        done = perf("stat", "-e", "cs", *words, "/bin/true", path=[link, other])
        assert done.returncode == 0 and "another perf" not in done.stdout


def test_without_another_perf_pstat_says_what_is_missing(link):
    done = perf("bench", "sched", path=[link])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("pstat: perf bench: this perf is pstat, which has only ")
    assert "linux-perf" in done.stderr


def test_a_directory_or_a_file_that_is_not_executable_is_not_taken_for_perf(link, tmp_path):
    (tmp_path / "folder/perf").mkdir(parents=True)
    script(tmp_path / "plain/perf", "").joinpath("perf").chmod(0o644)
    done = perf("bench", path=[link, tmp_path / "folder", tmp_path / "plain"])
    assert done.returncode == 1 and "no other perf was found in PATH" in done.stderr


def test_a_script_that_calls_pstat_again_does_not_run_forever(link, tmp_path):
    """A script named perf can come before the link in PATH, and call pstat by its path. pstat must
    stop after a few rounds."""
    caller = script(tmp_path / "caller/perf", f'#!/bin/sh\n"{link}/perf" "$@"\n')
    done = perf("bench", path=[caller, link])
    assert done.returncode == 1 and "no other perf was found in PATH" in done.stderr
    done = perf("bench", path=[caller])
    assert done.returncode == 1
    assert done.stderr.count("calls pstat again instead of another perf") == 1, done.stderr
    assert perf("stat", "-e", "cs", "/bin/true", path=[caller]).returncode == 0


# ---- messages that scripts must not take for rows ----

def rows_of(text, name):
    """Returns what the usual awk '/NAME/ { print $1 }' prints."""
    return [line.split()[0] for line in text.splitlines() if name in line]


@pytest.mark.parametrize("event", ["mem:0x404040/9:w", "cycles", "instructions",
                                   "LLC-prefetch-misses"])
@pytest.mark.parametrize("how", [[], ["-a"], ["-r2"], ["--bpf-counters"]], ids=" ".join)
def test_an_event_that_cannot_be_counted_has_one_row_and_no_other_line_with_its_name(event, how):
    """
    The row shows scripts that the event was not counted. If there were another line with the
    event's name, scripts would take the first word of that line for the count.
    """
    done = run("-e", event, *how, "true")
    if done.returncode:
        pytest.skip(f"probe: pstat -e {event} {' '.join(how)}: {done.stderr.strip()}")
    name = event.split("/")[0]
    found = rows_of(done.stderr, name)
    assert len(found) == 1, done.stderr
    if found == ["<not"]:
        said = done.stderr.split("pstat: ", 1)[1]
        assert said.startswith("nothing could be counted: the kernel refused the event"), said
        assert re.search(r"\([A-Z]+: ", said), said  # The reason is still printed.


def test_the_message_gives_the_position_of_the_wrong_event():
    done = run("-e", "mem:0x404040/9:w,mem:0x404080/9:w", "true")
    assert "nothing could be counted: the kernel refused events 1, 2 of 2 (" in done.stderr
    assert len(rows_of(done.stderr, "mem:")) == 2


def test_warnings_beside_a_report_do_not_name_events():
    """Checks all messages of the level LOG_WARNING in the code that counts and reports."""
    files = [*(native.TOP / "util/count").rglob("*.c"), *(native.TOP / "builtin/stat").glob("*.c")]
    message = re.compile(r"(?:pr_warn|log__print)\((?!\s*LOG_(?:INFO|DEBUG|ERROR),).*?\);", re.S)
    scanned = 0
    for path in files:
        for call in message.findall(path.read_text(encoding="utf-8")):
            scanned += 1
            assert not re.search(r"evsels?(\[[^]]*\])*->name", call), f"{path}: {call}"
    assert scanned > 50
