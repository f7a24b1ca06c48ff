# SPDX-License-Identifier: GPL-2.0-only
"""-o and the contents of its file; formats for programs."""

import json
import os
import re
import time

import pytest

from native import (
    FAILED,
    PATIENCE,
    count,
    csv_rows,
    mask,
    run,
    start,
    std_count,
    wait_until_counting,
    workload,
)

STARTED = re.compile(r"# started on (\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\n\n")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- the file ----


def test_a_file_begins_with_the_time_and_an_empty_line():
    before = int(time.time())
    done = run("-o", "file", "-e", "cs,task-clock,page-faults", "true")
    after = time.time()
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    text = text_of("file")
    began = STARTED.match(text)
    assert before <= time.mktime(time.strptime(began[1], "%a %b %d %H:%M:%S %Y")) <= after
    assert text[began.end():].startswith("\n Performance counter stats for 'true':\n\n")
    assert text.count("# started on") == 1


def test_a_file_has_the_same_contents_as_stderr():
    plain = mask(run("-e", "cs,task-clock,page-faults", "true").stderr)
    run("-o", "file", "-e", "cs,task-clock,page-faults", "true")
    assert mask(STARTED.sub("", text_of("file"))) == plain


@pytest.mark.parametrize("options", [[], ["--append"], ["-x,"], ["-j"]])
def test_a_file_named_by_a_hyphen_is_stderr(options):
    there = run(*options, "-o", "-", "-e", "cs,page-faults", "true")
    here = run(*(word for word in options if word != "--append"), "-e", "cs,page-faults", "true")
    assert (mask(there.stderr), there.returncode) == (mask(here.stderr), 0)
    assert not os.listdir()


@pytest.mark.parametrize("options", [["-x,"], ["-I", 1000], ["-x;", "-I", 1000]])
def test_values_and_intervals_in_a_file_begin_with_the_time(options):
    run(*options, "-o", "file", "-e", "cs", "true")
    assert mask(STARTED.sub("", text_of("file"),
                            count=1)) == mask(run(*options, "-e", "cs", "true").stderr)
    assert STARTED.match(text_of("file"))


def test_a_file_of_json_contains_only_json():
    run("-j", "-o", "file", "-e", "cs,task-clock", "true")
    assert [json.loads(line)["event"]
            for line in text_of("file").splitlines()] == ["cs", "task-clock"]


def test_an_existing_file_is_overwritten():
    with open("file", "w", encoding="ascii") as file:
        file.write("old line\n" * 10000)
    run("-o", "file", "-e", "cs", "true")
    assert "old line" not in text_of("file")
    assert STARTED.match(text_of("file"))


def test_append_adds_to_the_end():
    with open("file", "w", encoding="ascii") as file:
        file.write("old line\n")
    for _ in range(2):
        assert run("--append", "-o", "file", "-e", "cs", "true").returncode == 0
    text = text_of("file")
    assert text.startswith("old line\n# started on ")
    assert text.count("# started on") == text.count("Performance counter stats") == 2


def test_append_creates_a_file_that_does_not_exist():
    assert run("--append", "-o", "file", "-e", "cs", "true").returncode == 0
    assert STARTED.match(text_of("file"))


def test_the_report_of_a_command_that_fails_is_written():
    """The command fails, but pstat counts it."""
    assert run("-o", "file", "-e", "cs", "false").returncode == 1
    assert std_count(text_of("file"), "cs") is not None


FAILING = [(["-e", "cs", "no-such-command"], 127), (["-e", "cs", "/"], 126),
           (["-e", "nosuch", "true"], 129), (["-b", "4294967295", "true"], 129),
           (["-x,", "-B", "true"], 234), (["-p", "4294967297"], 129)]


@pytest.mark.parametrize("args, code", FAILING)
def test_no_file_is_made_if_nothing_was_counted(args, code):
    assert run("-o", "file", *args).returncode == code
    assert os.listdir() == []


@pytest.mark.parametrize("args, code", FAILING)
def test_an_older_file_is_kept_when_nothing_was_counted(args, code):
    with open("file", "w", encoding="ascii") as file:
        file.write("of great value\n")
    assert run("-o", "file", *args).returncode == code
    assert text_of("file") == "of great value\n"


def test_an_older_file_is_kept_until_there_is_output():
    with open("file", "w", encoding="ascii") as file:
        file.write("of great value\n")
    with start("-o", "file", "-a", "-e", "cs") as process:
        wait_until_counting(process)
        assert text_of("file") == "of great value\n"
        process.terminate()
        process.communicate(timeout=PATIENCE)
    assert STARTED.match(text_of("file"))


@pytest.mark.parametrize("options",
                         [[], ["-x,"], ["-j"], ["-I", 10], ["-x,", "-I", 10], ["-j", "-I", 10]])
def test_a_full_disk_is_an_error(options):
    done = run("-o", "/dev/full", *options, "-e", "cs", "sleep", "0.05")
    assert done.returncode == FAILED
    assert "pstat: -o /dev/full: cannot write the output: No space left on device\n" in done.stderr
    assert done.stderr.count("No space left") == 1


def test_a_full_disk_ends_a_command_that_is_counted_in_intervals():
    """pstat can no longer write counts, and the command must not continue without pstat."""
    done = run("-o", "/dev/full", "-I", 20, "-e", "cs", "sleep", "100")
    assert done.returncode == FAILED


def test_output_may_go_to_a_pipe():
    with start("-o", "/dev/stdout", "-x,", "-e", "cs", "true") as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert STARTED.match(out)
    assert csv_rows(STARTED.sub("", out))[0][2] == "cs"


def test_messages_do_not_get_into_the_file_when_stderr_is_closed():
    """If descriptor 2 is closed, the next file that is opened would get this number, and the
    messages would be written to it."""
    run("-v", "-o", "file", "-e", "cs,cycles:G,node-store-misses", "true", stderr=None,
        preexec_fn=lambda: os.close(2))
    assert STARTED.match(text_of("file"))
    assert "pstat:" not in text_of("file")


def test_a_closed_stderr_does_no_harm_to_the_command():
    done = run("-v", "-o", "file", "-e", "cs,cycles:G,node-store-misses", "sh", "-c",
               "echo ran; exit 6", stderr=None, preexec_fn=lambda: os.close(2))
    assert (done.stdout, done.returncode) == ("ran\n", 6)


# ---- formats for programs ----


@pytest.mark.parametrize("given, separator", [(";", ";"), ("\\t", "\t"), ("\t", "\t"),
                                              (" | ", " | "), ("--", "--")])
def test_a_separator_may_be_any_text(given, separator):
    line = run("-x", given, "-e", "page-faults", "true").stderr
    assert mask(line.replace(separator, ",")) == "N,,page-faults,N,100.00,,\n"


def test_the_separator_may_follow_its_option_at_once():
    assert run("-x;", "-e", "cs", "true").stderr.count(";") == 6
    assert run("--field-separator=;", "-e", "cs", "true").stderr.count(";") == 6


def test_each_line_of_json_is_an_object_with_keys_in_order():
    done = run("-j", "-I", 100, "-e", "cs,task-clock,page-faults", "sleep", "0.25")
    lines = [json.loads(line, object_pairs_hook=list) for line in done.stderr.splitlines()]
    assert len(lines) >= 9 and len(lines) % 3 == 0
    for pairs in lines:
        assert [key for key, _ in pairs] == [
            "interval", "counter-value", "unit", "event", "event-runtime", "pcnt-running",
            "metric-value", "metric-unit"
        ]
        values = dict(pairs)
        assert isinstance(values["counter-value"], str) and isinstance(values["metric-value"], str)
        assert isinstance(values["event-runtime"], int) and values["pcnt-running"] == 100.0
    assert [dict(pairs)["event"]
            for pairs in lines] == ["cs", "task-clock", "page-faults"] * (len(lines) // 3)


def test_no_format_contains_null_nan_or_inf():
    """Counts events with a count of 0, for a target that does nothing, in almost no time."""
    events = ("cycles,instructions,branches,branch-misses,cache-misses,cs,task-clock,"
              "{cs,task-clock},duration_time")
    for options in ([], ["-x,"], ["-j"], ["-I", 1], ["-x,", "-I", 1], ["-j", "-I", 1]):
        text = run(*options, "-e", events, "true").stderr.lower()
        assert not re.search(r"null|\bnan\b|\binf\b", text), text


@pytest.mark.parametrize("options", [["-j"], ["-x,"], ["-j", "-I", 20], ["-x,", "-I", 20]])
def test_output_for_programs_does_not_depend_on_the_locale(options, german):
    """A decimal comma would make JSON invalid, and move values to other columns."""
    argv = [*options, "-a", "-e", "task-clock,page-faults", "sleep", "0.03"]
    here, there = run(*argv), run(*argv, locale=german)
    # on a busy machine, there may be an interval more or less
    shown = [set(mask(done.stderr).splitlines()) for done in (here, there)]
    assert shown[0] == shown[1]
    if "-j" in options:
        for line in there.stderr.splitlines():
            json.loads(line)


def test_text_reports_format_numbers_for_the_locale(german):
    argv = ["-e", "page-faults,task-clock", *workload("faults", 12345)]
    there = run(*argv, locale=german)
    assert re.search(r"^ {12}12\.\d{3}      page-faults ", there.stderr, re.M)
    assert re.search(r"^ +\d+,\d\d msec task-clock +# +\d,\d{3} CPUs utilized ", there.stderr, re.M)
    plain = run("--no-big-num", *argv, locale=german)
    assert re.search(r"^ {13}12\d{3}      page-faults ", plain.stderr, re.M)


def test_the_time_in_a_file_does_not_depend_on_the_locale(german):
    run("-o", "file", "-e", "cs", "true", locale=german)
    assert time.strptime(STARTED.match(text_of("file"))[1], "%a %b %d %H:%M:%S %Y")


@pytest.mark.parametrize("form", ["-x,", "-j"])
def test_output_for_programs_has_no_messages_between_its_lines(form, scratch):
    """No CPU can watch 9 bytes, so nothing is counted. The reason is printed where no parser reads
    it."""
    count = ["-e", "mem:0x404040/9:w", "true"]
    reason = "nothing could be counted: the kernel refused the event ("
    done = run(form, *count)
    assert done.returncode == 0 and "pstat:" not in done.stderr and "<not supported>" in done.stderr
    assert reason not in run(form, "--log-fd", 2, *count).stderr
    for other in ([form, "-v"], [form, "-o", "rows"], []):
        assert reason in run(*other, *count).stderr
    assert "pstat:" not in (scratch / "rows").read_text(encoding="ascii")


def test_control_characters_of_a_command_do_not_reach_the_terminal():
    done = run("-e", "cs", "true", "a\nb\033[31mc\td")
    assert " Performance counter stats for 'true a?b?[31mc?d':\n" in done.stderr


def test_large_counts_are_whole_in_every_format():
    """These counts have more digits than a float with six decimals can hold."""
    ns = int(count("duration_time", "-a", "--timeout", 20))
    assert 20_000_000 <= ns < PATIENCE * 10**9
    done = run("-j", "-a", "--timeout", 20, "-e", "duration_time")
    assert re.fullmatch(r"\d{8,}\.0{6}", json.loads(done.stderr)["counter-value"])
