# SPDX-License-Identifier: GPL-2.0-only
"""Completion by completion/pstat.bash in bash."""
import functools
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time

import pytest

from native import PATIENCE, PSTAT, TOP, WORKLOADS, run

sys.path.insert(0, str(TOP / "tests/imitated"))
import imitated  # noqa: E402 pylint: disable=wrong-import-position

SCRIPT = TOP / "completion/pstat.bash"
# as in an interactive bash
ASK = r"""
source "$1"
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
COMP_LINE=$3 COMP_POINT=${#3}
_pstat "$2"
printf '%s\n' "${COMPREPLY[@]}"
"""


COMMANDS = re.search("the commands are (.*), help, version$",
                     run("help", "what").stderr.strip())[1].split(", ")


def offered(line):
    """Returns the words that complete the last word of `line`, as bash would insert them after
    its last colon or equals sign."""
    done = subprocess.run(["bash", "--norc", "-c", ASK, "bash", SCRIPT, PSTAT, line],
                          capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return {word for word in done.stdout.split("\n") if word}


def options_of(command):
    return set(re.findall(r"^ +(?:-., )?(--[a-z-]+)", run(command, "--help").stdout, re.M))


def test_the_first_word_is_a_command():
    assert {*COMMANDS, "help", "version"} <= offered("pstat ")
    assert "progs" in offered("pstat pro") and "list" not in offered("pstat pro")


def test_help_and_version_complete_their_own_words():
    assert offered("pstat help ") == {*COMMANDS, "help", "version", "self"}
    assert all(
        run("help", word).returncode == 0 or word == "self" for word in offered("pstat help "))
    assert offered("pstat help list ") == set()
    for line in ("pstat version -", "pstat version ", "pstat version -v -"):
        assert offered(line) == {"-v", "--build-options"}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_completed_options_are_those_of_the_help(command):
    assert {word.rstrip("=")
            for word in offered(f"pstat {command} --")} == options_of(command) != set()


def test_a_kind_of_core_is_completed_with_the_name_of_a_pmu(monkeypatch):
    assert "software" in offered("pstat --pmu-filter soft") and "software" in offered(
        "pstat list --unit=")
    assert "software" not in offered("pstat --cputype ")
    if imitated.why_not():
        pytest.skip(f"probe: unshare --mount true: {imitated.why_not()}")
    with imitated.Imitation("alderlake") as machine:
        monkeypatch.setattr(subprocess, "run",
                            functools.partial(subprocess.run, preexec_fn=machine.enter))
        assert offered("pstat --cputype ") == {"cpu_core", "cpu_atom"}
        assert offered("pstat -a --cputype=cpu_a") == offered("pstat list --cputype cpu_a") == {
            "cpu_atom"
        }


def test_options_with_a_value_end_with_an_equals_sign():
    assert offered("pstat --inter") == {
        "--interval-count=", "--interval-clear", "--interval-print="
    }
    assert offered("pstat stat -a --bpf-c") == {"--bpf-counters"}


@pytest.mark.parametrize("line", ["-e ", "stat -a -e ", "profile -a -e ", "--event ", "--event="])
def test_events_are_completed_from_the_list(line):
    assert offered(f"pstat {line}context-s") == {"context-switches"}
    assert {"cycles", "cpu-cycles", "cs", "page-faults", "LLC-loads"} <= offered(f"pstat {line}")


def test_letters_can_be_combined_and_can_be_joined_to_their_value():
    assert offered("pstat -ae context-s") == offered("pstat -vaie context-s") == {
        "context-switches"
    }
    assert offered("pstat -econtext-s") == {
        "-econtext-switches"
    } and offered("pstat -aecs,page-f") == {"-aecs,page-faults"}
    assert offered("pstat profile -ae context-s") == {"context-switches"}
    assert offered("pstat -Mip") == {"-Mipc"}
    assert "true" in offered("pstat -x, tru"), "the word contains the value, so a command follows"
    assert offered("pstat -x, -e context-s") == offered("pstat -aI 100 -e context-s") == {
        "context-switches"
    }
    assert offered("pstat -ad -") > {"--event=", "--delay="}


def test_further_events_are_completed_after_a_comma_or_a_brace():
    assert offered("pstat -e cs,page-f") == {"cs,page-faults"}
    assert offered("pstat -e {cs,page-f") == {"{cs,page-faults"}
    assert offered("pstat -e {page-f") == {"{page-faults"}


def test_a_tracepoint_is_completed_after_its_colon(tracefs):
    wanted = {path.name for path in (tracefs / "events/sched").glob("sched_sw*")}
    assert wanted and offered("pstat -e sched:sched_sw") == wanted
    assert offered("pstat --event=cs,sched:sched_sw") == wanted


def test_forms_with_a_placeholder_are_not_offered():
    assert not [word for word in offered("pstat -e ") if re.search(r"[<\[ ]|ADDRESS|CONFIG", word)]


def test_metrics_are_completed_from_the_list():
    assert offered("pstat -M ipc") == {"ipc"}
    assert offered("pstat -M ipc,branch_miss_r") == {"ipc,branch_miss_rate"}
    assert offered("pstat -M Cach") == {"Caches"} and offered("pstat -M ipc,TL") == {"ipc,TLBs"}


def test_the_completed_programs_are_those_that_are_loaded(bpf_prog):
    number = bpf_prog("--prog", "count")
    done = run("progs")
    if "CAP_SYS_ADMIN" in done.stderr and os.geteuid():
        pytest.skip(f"probe: pstat progs: {done.stderr}")
    for option in ("-b ", "--bpf-prog=", "-b 1,"):
        assert any(word.endswith(str(number)) for word in offered(f"pstat {option}"))
    assert offered("pstat -b name:xdp_cou") == {"xdp_count"}
    assert str(number) in offered("pstat progs ")


def test_scopes_are_completed_by_kind_then_file_then_point(monkeypatch):
    monkeypatch.chdir(WORKLOADS)
    assert offered("pstat --scope u") == {"uprobe:", "usdt:"}
    assert offered("pstat --scope uprobe:scope-us") >= {"scope-usdt"}
    assert offered("pstat --scope usdt:./scope-usdt:pstat_test:b") == {"begin"}
    assert offered("pstat --start usdt:./scope-usdt:pstat_test:b") == {"begin"}
    assert offered("pstat --stop uprobe:./scope-calls:wo") == {"work"}
    assert offered("pstat --scope=uprobe:./scope-calls:wo") == {"work"}
    assert not offered("pstat --scope uprobe:/no/such/file:wo")


def test_the_words_of_list_are_completed_with_kinds_of_events():
    assert offered("pstat list ") == {
        "hw", "sw", "cache", "tool", "pmu", "vendor", "raw", "tracepoint", "metrics", "metricgroup",
        "scopes"
    }
    assert offered("pstat list --check trace") == {"tracepoint"}


def test_nothing_after_the_counted_command_is_completed_as_an_option_of_pstat():
    assert offered("pstat -e cs ls --") == set()
    assert offered("pstat stat -e cs -- ls -e ") == set()
    assert "true" in offered("pstat -e cs -- tru") and "true" in offered("pstat -I 100 tru")


def completed(line):
    """Returns the words that an interactive bash makes from `line` and a TAB."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(PS1="", TERM="dumb",
                          PATH=f"{os.path.dirname(PSTAT)}:{os.environ['PATH']}",
                          INPUTRC="/dev/null")
        os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
    begin, end = b"\x01", b"\x05"  # the keys that move to the ends of the line
    steps = [(f"bind 'set enable-bracketed-paste off'; source {shlex.quote(str(SCRIPT))}; echo "
              "rea''dy\n".encode(), "ready\r\n"),
             (f"{line}\t".encode() + begin + b"printf '<%s>\\n' " + end + b"; echo en''d\n",
              "end\r\n")]
    deadline = time.monotonic() + PATIENCE
    for keys, answer in steps:
        os.write(fd, keys)
        seen = ""
        while answer not in seen and time.monotonic() < deadline:
            if select.select([fd], [], [], 0.1)[0]:
                seen += os.read(fd, 65536).decode()
    os.close(fd)
    os.waitpid(pid, 0)
    return re.findall(r"^<(.*)>\r$", seen, re.M)


def test_bash_itself_completes_after_a_colon_a_comma_and_an_equals_sign(tracefs):
    assert (tracefs / "events/sched/sched_switch").exists()
    assert completed("pstat --event=cs,sched:sched_swit") == [
        "pstat", "--event=cs,sched:sched_switch"
    ]
    assert completed("pstat -aecs,page-f") == ["pstat", "-aecs,page-faults"]
    assert completed("pstat -e {page-f") == ["pstat", "-e", "{page-faults"]
    assert completed("pstat -b cs,al") == ["pstat", "-b", "cs,all"]
    assert completed("pstat --interval-co") == ["pstat", "--interval-count="]
