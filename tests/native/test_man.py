# SPDX-License-Identifier: GPL-2.0-only
"""Checks the manual pages that asciidoctor makes: no markup is left in the text, and no text is
mistaken for markup."""
import re
import subprocess

import pytest

from native import TOP

PAGES = sorted((TOP / "Documentation").glob("*.adoc"))
# Text that contains a *, or an underscore at the edge of a word.
OWN = ["syscalls:sys_enter_w*", "{}[]()|*+?^$", "__sk_buff", "(_start)",
       "sys_enter_{read,write}", "uncore_{imc,cha}/clockticks/"]
FONT = re.compile(r"\\f(?:[BIPRC]|\(..|\[\w*\])")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Returns {name: roff} for all pages. A warning of asciidoctor is an error."""
    folder = tmp_path_factory.mktemp("man")
    subprocess.run(["asciidoctor", "--failure-level=WARN", "-b", "manpage", "-D", folder, *PAGES],
                   check=True, timeout=120)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def text_of(roff):
    """Returns the text without macros, fonts and literal text."""
    roff = re.sub(r"^\.nf$.*?^\.fi$", "", roff, flags=re.M | re.S)
    roff = re.sub(r"^(\.[^B]|'\\\").*$", "", roff, flags=re.M)
    return FONT.sub("", roff.replace(r"\*(Aq", "'"))


def markup_in(roff):
    text = text_of(roff)
    for own in OWN:
        text = text.replace(own, "")
    return re.findall(r"\S*(?:[*`]|(?<!\w)_|_(?!\w))\S*", text)


@pytest.mark.parametrize("name", [path.stem for path in PAGES])
def test_no_markup_is_left(pages, name):
    assert len(text_of(pages[name])) > 1000
    assert not markup_in(pages[name])


def test_markup_that_is_left_would_be_found():
    assert markup_in(r"\fB\-\-outliers\fP=\fIVALUE\fP|*p*\fIN\fP") == ["\\-\\-outliers=VALUE|*p*N"]
    assert markup_in("see _that_ and cpu_core") == ["_that_"]


@pytest.mark.parametrize("name", [path.stem for path in PAGES])
def test_nothing_is_bold_by_mistake(pages, name):
    """A * that is meant literally would make all text up to the next * bold."""
    runs = re.findall(r"\\fB(.*?)\\fP",
                      re.sub(r"^\.TS$.*?^\.TE$", "", pages[name], flags=re.M | re.S), re.S)
    assert runs and not [run for run in runs if "\n" in run or len(run) > 60]


@pytest.mark.parametrize("name, text", [
    ("pstat-stat.1", "mem:ADDRESS[/LENGTH][:rwx]"),
    ("pstat-stat.1", "PMU/TERM=VALUE,.../"),
    ("pstat-stat.1", "{EVENT,...} makes a group"),
    ("pstat-stat.1", "characters {}[]()|*+?^$"),
    ("pstat-profile.1", "C++ and Rust"),
    ("pstat-profile.1", "c++filt(1)"),
])
def test_the_syntax_is_shown_as_it_is_written(pages, name, text):
    assert text in re.sub(r"\\&|\\c", "", text_of(pages[name])).replace("\\-", "-")


@pytest.mark.parametrize("name", [path.stem for path in PAGES])
def test_a_page_has_no_character_that_the_c_locale_cannot_show(pages, name):
    assert set(re.findall(r"[^\x00-\x7f]", pages[name])) <= {"×"}


def test_the_tests_that_the_section_security_names_exist_and_are_printed(pages):
    text = (TOP / "Documentation/pstat.1.adoc").read_text(encoding="utf-8")
    section = text.split("== SECURITY\n")[1].split("\n== ")[0]
    named = [
        name for found in re.findall(r"\[((?:native|vm|fuzz|unit)/[^]]+)\]", section)
        for name in re.split(r",\s+", found)
    ]
    assert len(named) > 10
    assert not [name for name in named if not (TOP / "tests" / name).is_file()]
    printed = text_of(pages["pstat.1"]).replace("\\", "")
    assert not [name for name in named if name not in printed]


@pytest.mark.parametrize("name, first, words", [
    ("pstat-stat.1", "[stat]", "big-num no-csv-summary bpf-counter-events default-metrics"),
    ("pstat-export.1", "server {", "listen ssl_certificate ssl_certificate_key "
     "ssl_client_certificate ssl_verify_client location }"),
])
def test_an_example_of_a_configuration_keeps_its_lines(pages, name, first, words):
    # Asciidoctor 2.0.23 adds `\&`, which prints nothing, to names with "_"
    page = pages[name].replace("\\-", "-").replace("\\&", "")
    block = page.split(f"\n{first}\n")[1].split("\n.fam\n")[0]
    assert [line.split()[0] for line in block.splitlines()] == words.split()
