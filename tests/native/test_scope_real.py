# SPDX-License-Identifier: GPL-2.0-only
"""--scope with large programs of Debian that `make deps` does not install. The number of runs is
compared with bpftrace's count in the same run, or with the known number of calls. Only `make
check-long` runs these tests, if the programs are installed."""

import glob
import os
import re
import shutil
import subprocess
import tempfile

import pytest

from native import IN_C, PSTAT, modes

pytestmark = [
    pytest.mark.skipif(not os.environ.get("PSTAT_LONG"), reason="PSTAT_LONG is not set"),
    pytest.mark.skipif(not modes()["--scope"].startswith("yes"), reason=modes()["--scope"]),
]
POSTGRES = next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))), None)
GO_FUNCTION = "github.com/junegunn/fzf/src/algo.FuzzyMatchV2"


def needs(program):
    return pytest.mark.skipif(not program or not shutil.which(program),
                              reason=f"probe: {program or 'the program'} is not installed")


def count(scope, *command, **env):
    """Returns the number of runs, including those that were lost because this kernel did not report
    a context switch, and everything that pstat and the command wrote."""
    done = subprocess.run([PSTAT, "-x,", "-e", "run_cnt,task-clock", "--scope", scope, "--",
                           *map(str, command)], env={**os.environ, **IN_C, **env}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    assert done.returncode == 0, done.stdout
    unseen = re.search(r"(\d+) because the kernel did not report a context switch", done.stdout)
    runs = re.search(r"^(\d+),,run_cnt,", done.stdout, re.M)
    return int(runs[1]) + (int(unseen[1]) if unseen else 0), done.stdout


def count_with_bpftrace(scope, probe, *command, **env):
    """Returns the number of runs that pstat counts, and the number of times that bpftrace sees
    @probe at the same time."""
    script = f'{probe} {{ @++; }} END {{ printf("calls %d\\n", @); clear(@); }}'
    shell = ('bpftrace -e "$0" & t=$!; sleep 3; "$@"; code=$?; sleep 1; kill $t; wait $t; '
             'exit $code')
    runs, said = count(scope, "sh", "-c", shell, script, *command, **env)
    found = re.search(r"^calls (\d+)$", said, re.M)
    assert found, said
    return runs, int(found[1])


@needs("openssl")
@needs("bpftrace")
def test_libcrypto_is_counted_under_openssl_speed(tmp_path):
    cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True)
    found = re.search(r"^\s*(libcrypto\.so\.\d+) .*(?:x86-64|AArch64).* => (.*)$", cache.stdout,
                      re.M)
    library = tmp_path / found[1]
    shutil.copy(found[2], library)
    runs, calls = count_with_bpftrace(
        f"uprobe:{library}:EVP_EncryptUpdate", f"uprobe:{library}:EVP_EncryptUpdate", "openssl",
        "speed", "-elapsed", "-seconds", "1", "-bytes", "64", "-evp", "aes-128-cbc",
        LD_LIBRARY_PATH=str(tmp_path))
    assert runs == calls > 1000


@pytest.fixture
def postgres():
    """Starts a server, which may not run as root. Yields the beginning of a command line, to which
    the name of an SQL file is appended."""
    folder = tempfile.mkdtemp(prefix="pstat-postgres.")
    shutil.chown(folder, "postgres")
    tools = os.path.dirname(POSTGRES)

    def control(*words):
        subprocess.run(["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
                        *words], check=True, stdout=subprocess.DEVNULL, cwd="/")

    control(f"{tools}/initdb", "-D", f"{folder}/data", "-A", "trust")
    control(f"{tools}/pg_ctl", "-w", "-D", f"{folder}/data", "-l", f"{folder}/log", "-o",
            f"-k {folder} -c listen_addresses=", "start")
    yield [f"{tools}/psql", "-h", folder, "-U", "postgres", "-q", "-o", "/dev/null", "-f"]
    control(f"{tools}/pg_ctl", "-D", f"{folder}/data", "-m", "fast", "stop")
    shutil.rmtree(folder)


@needs(POSTGRES)
@pytest.mark.parametrize("begin, end, runs", [
    ("query__start", "query__done", 250),
    # psql's own query at the start of a session also needs a transaction.
    ("transaction__start", "transaction__commit", (250, 251)),
])
def test_queries_and_transactions_of_postgresql_are_counted(tmp_path, postgres, begin, end, runs):
    sql = tmp_path / "queries.sql"
    sql.write_text("".join(f"select {number};\n" for number in range(250)))
    scope = f"usdt:{POSTGRES}:{begin}..{end}"
    if shutil.which("bpftrace"):
        # bpftrace does not raise the semaphore, but pstat does.
        counted, calls = count_with_bpftrace(scope, f"usdt:{POSTGRES}:postgresql:{begin}",
                                             *postgres, sql)
        assert counted == calls
    else:
        counted = count(scope, *postgres, sql)[0]
    assert counted in (runs if isinstance(runs, tuple) else (runs,))


@needs("fzf")
def test_a_function_of_a_stripped_go_program_is_counted(tmp_path):
    """If Go has to grow the stack, it begins the function twice."""
    program, lines = tmp_path / "fzf", tmp_path / "lines"
    shutil.copy(shutil.which("fzf"), program)
    lines.write_text("".join(f"{number}\n" for number in range(5000)))
    refused = subprocess.run([PSTAT, "--scope", f"uprobe:{program}:{GO_FUNCTION}", "true"],
                             stderr=subprocess.PIPE, text=True, check=False).stderr
    offered = refused.split("return instructions: ")[1].strip()
    assert count(offered, "sh", "-c", f"{program} -f 99 <{lines} >{tmp_path}/found",
                 GOMAXPROCS="1")[0] == 5000
    assert len((tmp_path / "found").read_text().split()) == sum(
        bool(re.search("9.*9", str(number))) for number in range(5000))


@needs("musl-gcc")
@pytest.mark.parametrize("options", [[], ["-static"]])
def test_programs_with_musl_are_counted(tmp_path, options):
    source, program = tmp_path / "work.c", tmp_path / "work"
    source.write_text("__attribute__((noinline)) void work(int i) { volatile int x = i; x++; }\n"
                      "int main(void) { for (int i = 0; i < 123; i++) work(i); return 0; }\n")
    subprocess.run(["musl-gcc", "-O1", *options, source, "-o", program], check=True)
    assert count(f"uprobe:{program}:work", program)[0] == 123


@needs("java")
def test_collections_of_garbage_in_java_are_counted(tmp_path):
    machine = os.path.realpath(shutil.which("java")).removesuffix("bin/java")
    library = f"{machine}lib/server/libjvm.so"
    (tmp_path / "T.java").write_text("public class T { public static void main(String[] a) {"
                                     " for (int i = 0; i < 20; i++) System.gc(); } }\n")
    assert count(f"usdt:{library}:hotspot:gc__begin..gc__end", "java", "-XX:+UseSerialGC",
                 tmp_path / "T.java")[0] >= 20
