# SPDX-License-Identifier: GPL-2.0-only
"""Targets of make other than the build itself."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]


def make(*args, **more):
    environment = {
        name: value for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    environment.update(more)
    out = environment.pop("O", "")
    return subprocess.run(["make", "-s", *([f"O={out}"] if out else []), *args], cwd=TOP,
                          env=environment, capture_output=True, text=True, check=False)


def said(*argv):
    return subprocess.run(list(map(str, argv)), capture_output=True, text=True, check=True).stdout


# The directory of the package's libraries.
MULTIARCH = "usr/lib/" + said("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    done = make("install", f"DESTDIR={root}", "prefix=/usr")
    assert done.returncode == 0, done.stderr
    return root


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    source = TOP / os.environ.get("O", "") / ".build/tests/vendor-source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(TOP / "tests/data/vendor", source,
                    ignore=shutil.ignore_patterns("broken.json", "empty.json"))
    done = make("deb", f"DEBDIR={folder}", f"EVENTS_SOURCE={source}")
    assert done.returncode == 0, done.stderr
    [path] = folder.glob("pstat_*.deb")
    return path


@pytest.fixture(scope="module")
def events_package(package):
    [path] = package.parent.glob("pstat-events_*_all.deb")
    return path


def test_install_puts_the_command_the_link_the_manual_and_the_completion_under_the_prefix(
        installed):
    files = {str(path.relative_to(installed)) for path in installed.rglob("*") if not path.is_dir()}
    assert {
        "usr/bin/pstat", "usr/bin/perf-pstat", "usr/share/man/man1/pstat.1",
        "usr/share/man/man1/pstat-stat.1", "usr/share/man/man1/perf-pstat.1",
        "usr/share/bash-completion/completions/pstat",
        "usr/share/bash-completion/completions/perf-pstat"
    } <= files
    assert os.readlink(installed / "usr/bin/perf-pstat") == "pstat"
    assert os.readlink(installed / "usr/lib/pstat/perf") == "../../bin/pstat"


def test_perf_help_pstat_shows_the_overview_page(installed, package, tmp_path):
    """`perf help pstat` asks man for perf-pstat."""
    if not shutil.which("man"):
        pytest.skip("probe: man is not in PATH")
    said("dpkg-deb", "-x", package, tmp_path)
    for root in (installed, tmp_path):
        done = subprocess.run(["man", "-M", root / "usr/share/man", "perf-pstat"],
                              capture_output=True, text=True, check=False)
        assert (
            done.returncode == 0 and "count performance events of commands" in done.stdout
        ), done.stderr


def test_the_installed_command_is_a_subcommand_of_perf(installed):
    if not shutil.which("perf"):
        pytest.skip("perf is not in PATH, whose subcommand it would be")
    path = f"{installed}/usr/bin:{os.environ['PATH']}"
    done = subprocess.run(["perf", "pstat", "--version"], env=dict(os.environ, PATH=path),
                          capture_output=True, text=True, check=False)
    assert done.stdout.startswith("pstat ") and done.returncode == 0, done.stderr


def files_under(root):
    return {
        str(path.relative_to(root)) for path in root.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }


def test_the_package_has_the_files_of_make_install_and_depends_on_the_libraries_of_pstat(
        package, installed, tmp_path):
    said("dpkg-deb", "-x", package, tmp_path)
    # The libraries and their .pc files are in the directory of the architecture.
    files = {name.removesuffix(".gz").replace(f"{MULTIARCH}/", "usr/lib/")
             for name in files_under(tmp_path)}
    assert files_under(installed) <= files
    export = (f"examples/{name}" for name in files_under(TOP / "examples") if "export/" in name)
    assert files - files_under(installed) == {
        f"usr/share/doc/pstat/{name}" for name in
        ("ARCHITECTURE.md", "README.md", "baseline.schema.json", "changelog", "copyright",
         "examples.txt", "examples/count-self.c", "performance.txt", *export)}
    said("sh", "-c", f"cd {tmp_path} && dpkg-deb -I {package} md5sums | md5sum -c --quiet")
    assert all(line.split()[1] == "root/root"
               for line in said("dpkg-deb", "-c", package).splitlines())
    needed = {
        line.split()[4].strip("[]")
        for line in said("readelf", "-d", tmp_path / "usr/bin/pstat").splitlines()
        if "(NEEDED)" in line
    }
    needed |= {"libdw.so.1", "libjansson.so.4", "libtraceevent.so.1"}  # loaded on first use
    depends = {word.split()[0] for word in said("dpkg-deb", "-f", package, "Depends").split(",")}
    assert len(needed) > 1 and all(
        set(re.findall(r"^(\S+?)[:,]", said("dpkg", "-S", f"*/{name}"), re.M)) & depends
        for name in needed)


def test_the_pages_of_the_package_are_compressed_and_its_library_has_no_debug_information(
        package, installed, tmp_path):
    said("dpkg-deb", "-x", package, tmp_path)
    pages = [path.name for path in (tmp_path / "usr/share/man").rglob("*") if path.is_file()]
    assert {"pstat.1.gz", "pstat-self.3.gz"} <= set(pages) and all(
        name.endswith(".gz") for name in pages), pages
    libraries = [installed / "usr/lib/libpstat-self.a", tmp_path / MULTIARCH / "libpstat-self.a"]
    assert ".debug_info" in said("readelf", "-SW", libraries[0])
    assert ".debug_" not in said("readelf", "-SW", libraries[1])
    before, after = (re.findall(r"^(\S+) T ", said("nm", "-g", "-P", library), re.M)
                     for library in libraries)
    assert "pstat_self_open" in before and after == before


def test_the_package_suggests_what_programs_need_to_link_with_its_library(package, tmp_path):
    said("dpkg-deb", "-x", package, tmp_path)
    config = (tmp_path / MULTIARCH / "pkgconfig/pstat-self.pc").read_text(encoding="ascii")
    required = re.search("^Requires: (.*)$", config, re.M)[1].split()
    suggested = said("dpkg-deb", "-f", package, "Suggests").strip().split(", ")
    owners = {said("dpkg", "-S", f"*/pkgconfig/{name}.pc").split(":")[0] for name in required}
    assert (
        len(owners) == len(required) > 1
        and owners <= set(suggested)
        and len(set(suggested)) == len(suggested)
    )


def test_the_library_is_found_where_the_package_installs_it_and_where_it_is_unpacked(
        package, tmp_path):
    said("dpkg-deb", "-x", package, tmp_path)
    config = tmp_path / MULTIARCH / "pkgconfig/pstat-self.pc"
    for prefix in ("/usr", str(tmp_path / "usr")):
        for name, folder in (("libdir", MULTIARCH.removeprefix("usr")), ("includedir", "/include")):
            found = said("pkg-config", f"--define-variable=prefix={prefix}", f"--variable={name}",
                         config)
            assert found.strip() == prefix + folder
    program, flags = tmp_path / "count-self", [
        "--define-variable=prefix=" + str(tmp_path / "usr"), "--cflags", "--libs"
    ]
    if not os.environ.get("SANITIZE"):
        example = tmp_path / "usr/share/doc/pstat/examples/count-self.c"
        said("cc", example, *said("pkg-config", *flags, config).split(), "-o", program)
        assert program.exists()


def test_each_package_has_a_changelog_of_its_version_and_a_copyright(
    package, events_package, tmp_path
):
    for name, path in (("pstat", package), ("pstat-events", events_package)):
        said("dpkg-deb", "-x", path, tmp_path)
        docs = tmp_path / "usr/share/doc" / name
        version = said("dpkg-deb", "-f", path, "Version").strip()
        changes = said("zcat", docs / "changelog.gz").splitlines()
        assert changes[0] == f"{name} ({version}) unstable; urgency=medium"
        parsed = subprocess.run(["dpkg-parsechangelog", "-l-", "-SVersion"],
                                input="\n".join(changes) + "\n", capture_output=True, text=True,
                                check=True)
        assert (parsed.stdout.strip(), parsed.stderr) == (version, "")
        text = (docs / "copyright").read_text(encoding="utf-8")
        assert "\nCopyright: 20" in text and "/usr/share/common-licenses/GPL-2" in text


def test_no_file_of_the_packages_belongs_to_a_package_of_perf(package, events_package):
    names = "linux-perf*"
    owned = subprocess.run(
        ["sh", "-c", f"dpkg-query -W -f '${{Package}} ' '{names}' | xargs dpkg -L"],
        capture_output=True, text=True, check=False).stdout.split("\n")
    if not any("/bin/perf" in name for name in owned):
        pytest.skip(f"probe: dpkg -L '{names}': no package of perf is installed")
    for path in (package, events_package):
        files = {
            line.split()[5].removeprefix(".") for line in said("dpkg-deb", "-c", path).splitlines()
            if line[0] != "d"
        }
        assert files and not files & set(owned)


def test_the_package_has_its_installed_size(package, tmp_path):
    said("dpkg-deb", "-x", package, tmp_path)
    places = [tmp_path, *tmp_path.rglob("*")]
    sizes = [
        -(-path.stat().st_size // 1024) if path.is_file() and not path.is_symlink() else 1
        for path in places
    ]
    assert int(said("dpkg-deb", "-f", package, "Installed-Size")) == sum(sizes)


def test_the_package_is_installed_and_removed_and_leaves_nothing(package, tmp_path):
    if os.geteuid():
        pytest.skip("probe: root, as which dpkg installs")
    depends = [word.split()[0] for word in said("dpkg-deb", "-f", package, "Depends").split(",")]
    database = tmp_path / "var/lib/dpkg"
    (database / "info").mkdir(parents=True)
    (database / "updates").mkdir()
    # The database of another root directory. It contains only the packages on which this package
    # depends, in the versions that are installed here.
    (database / "status").write_text("\n".join(said("dpkg-query", "-s", name) for name in depends),
                                     encoding="utf-8")
    dpkg = ["dpkg", f"--root={tmp_path}", "--no-triggers", f"--log={database}/log"]
    done = subprocess.run([*dpkg, "-i", str(package)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        said(tmp_path / "usr/bin/pstat", "--version")
        == said(tmp_path / "usr/bin/perf-pstat", "--version")
        != ""
    )
    assert "install ok installed" in said("dpkg-query", f"--admindir={database}", "-s", "pstat")
    done = subprocess.run([*dpkg, "--purge", "pstat"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not [name for name in files_under(tmp_path) if not name.startswith("var/")]


def test_the_package_is_not_installed_without_its_dependencies(package, tmp_path):
    if os.geteuid():
        pytest.skip("probe: root, as which dpkg installs")
    (tmp_path / "var/lib/dpkg/info").mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/updates").mkdir()
    (tmp_path / "var/lib/dpkg/status").touch()
    done = subprocess.run(["dpkg", f"--root={tmp_path}", "--log=/dev/null", "-i",
                           str(package)], capture_output=True, text=True, check=False,
                          env=dict(os.environ, LC_ALL="C"))
    assert done.returncode == 1 and "pstat depends on libbpf1" in done.stderr


@pytest.mark.parametrize("variable, debian", [("PKG_CONFIG", "pkg-config"), ("CLANG", "clang"),
                                              ("BPFTOOL", "bpftool")])
def test_a_missing_tool_is_named_with_its_package_in_one_line(variable, debian):
    done = make("all", f"{variable}=no-such-tool")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no-such-tool is missing" in done.stderr and f"package {debian}," in done.stderr


def test_a_missing_library_is_named_with_its_package_in_one_line():
    done = make("all", PKG_CONFIG_LIBDIR="/nonexistent")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "libbpf is missing: install Debian's package libbpf-dev" in done.stderr


def test_deps_does_nothing_if_all_packages_are_installed():
    done = make("deps")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_build_in_another_directory_leaves_the_source_tree_unchanged(tmp_path):
    if not (TOP / ".git").exists():
        pytest.skip(f"{TOP} is no git checkout, which would say what changed")
    before = subprocess.run(["git", "status", "--porcelain", "--ignored"], cwd=TOP,
                            capture_output=True, text=True, check=True)
    done = make("all", "-j2", O=f"{tmp_path}/out")
    after = subprocess.run(["git", "status", "--porcelain", "--ignored"], cwd=TOP,
                           capture_output=True, text=True, check=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/pstat").exists()
    assert before.stdout == after.stdout


def test_the_package_of_events_has_them_with_their_licence(events_package, package, tmp_path):
    said("dpkg-deb", "-x", events_package, tmp_path)
    events, docs = "usr/share/pstat/events", "usr/share/doc/pstat-events"
    assert files_under(tmp_path) == {f"{events}/arm64.events", f"{events}/x86.events",
                                     f"{docs}/copyright", f"{docs}/changelog.gz"}
    assert (tmp_path / events / "x86.events").read_bytes().startswith(b"pstat events 1\nmodel 1 ")
    assert "License: GPL-2" in (tmp_path / docs / "copyright").read_text(encoding="utf-8")
    assert said("dpkg-deb", "-f", events_package, "Architecture").strip() == "all"
    assert said("dpkg-deb", "-f", events_package, "Enhances").strip() == "pstat"
    recommended = said("dpkg-deb", "-f", package, "Recommends")
    assert "pstat-events" in recommended and "libmicrohttpd12" in recommended
    sums = f"cd {tmp_path} && dpkg-deb -I {events_package} md5sums | md5sum -c --quiet"
    said("sh", "-c", sums)
    for line in said("dpkg-deb", "-c", events_package).splitlines():
        assert line.split()[:2] in (["drwxr-xr-x", "root/root"], ["-rw-r--r--", "root/root"])


def test_without_a_kernel_tree_the_events_are_left_out_or_refused(tmp_path):
    done = make("install-events", "EVENTS_SOURCE=", f"DESTDIR={tmp_path}")
    assert done.returncode == 2
    assert "package linux-source" in done.stderr and "set EVENTS_SOURCE" in done.stderr
    done = make("-n", "deb", "EVENTS_SOURCE=", f"DEBDIR={tmp_path}")
    assert done.returncode == 0 and "no pstat-events: `make deps-events`" in done.stdout
    assert "scripts/deb-events" not in done.stdout
    assert not list(tmp_path.iterdir())
