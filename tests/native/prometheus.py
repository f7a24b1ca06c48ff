# SPDX-License-Identifier: GPL-2.0-only
"""Runs Debian's Prometheus and promtool on the pages of `pstat export`."""

import functools
import json
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from native import PATIENCE, TOP, default_signals, end

EXAMPLES = TOP / "examples/export"
RULES = sorted(EXAMPLES.glob("*.rules.yml"))
ALERTS = EXAMPLES / "pstat.alerts.yml"
OPENMETRICS = "application/openmetrics-text;version=1.0.0"


@functools.cache
def program(name):
    """Returns the path of a program of Debian's package prometheus. Skips the test if there is
    none."""
    done = subprocess.run([TOP / "tests/native/prometheus-programs"], text=True, check=False,
                          capture_output=True)
    if done.returncode:
        pytest.skip(f"probe: tests/native/prometheus-programs: {done.stderr.strip()}")
    return f"{done.stdout.strip()}/{name}"


def promtool(*args, **run):
    """Runs promtool, which must succeed. Returns its output."""
    done = subprocess.run([program("promtool"), *map(str, args)], text=True, check=False,
                          capture_output=True, **run)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def fetched(url, accept="", timeout=PATIENCE):
    """Returns the body of a page and its Content-Type."""
    request = urllib.request.Request(url, headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.read().decode(), answer.headers["Content-Type"]


def openmetrics(page):
    """Parses a page in OpenMetrics mode. Returns {(name, labels): value}, where labels is a
    frozenset of pairs. Fails if the page is malformed, or contains a sample twice."""
    from prometheus_client.openmetrics import parser  # pylint: disable=import-outside-toplevel
    found = {}
    for family in parser.text_string_to_metric_families(page):
        for sample in family.samples:
            key = sample.name, frozenset(sample.labels.items())
            assert key not in found, key
            found[key] = sample.value
    return found


def labelled(samples, name, **labels):
    """Returns the samples of `name` that have at least these labels, as {labels: value}."""
    return {key[1]: value for key, value in samples.items()
            if key[0] == name and labels.items() <= dict(key[1]).items()}


def _dashboard():
    return json.loads((EXAMPLES / "grafana-dashboard.json").read_text(encoding="utf-8"))


def _with_all(expr, interval):
    """Returns a query of the dashboard with the variables set to everything."""
    values = {"$__rate_interval": interval, "$job": ".*", "$instance": ".*", "$cgroup": ".*"}
    for variable, value in values.items():
        expr = expr.replace(variable, value)
    assert "$" not in expr, expr
    return expr


def dashboard(interval):
    """Returns the queries of the dashboard as {(title of the panel, number): query}, with the
    variables set to everything."""
    return {(panel["title"], number): _with_all(target["expr"], interval)
            for panel in _dashboard()["panels"]
            for number, target in enumerate(panel.get("targets", ()))}


def dashboard_variables():
    """Returns the variables of the dashboard as {name: (selector, label)}."""
    found = {}
    for variable in _dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            query = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]["query"])
            assert variable["definition"] == query[0]
            found[variable["name"]] = _with_all(query[1], ""), query[2]
    return found


class Prometheus:
    """A Prometheus on loopback with a configuration and data of its own."""

    def __init__(self, folder, config, *options):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        file = self.folder / "prometheus.yml"
        file.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        promtool("check", "config", file)
        self.log = self.folder / "log"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [program("prometheus"), f"--config.file={file}",
                 f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:0",
                 # otherwise, the first scrape is up to five seconds later
                 "--scrape.discovery-reload-interval=50ms", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=default_signals)
        self.url = "http://" + self._until(lambda: re.search(
            r'msg="Listening on" address=(\S+)', self.log.read_text(encoding="utf-8")))[1]
        self._until(self._is_ready)

    def _until(self, condition, patience=2 * PATIENCE):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline and self.process.poll() is None:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def _is_ready(self):
        try:
            fetched(self.url + "/-/ready")
            return True
        except urllib.error.URLError:
            return False

    def get(self, path, **parameters):
        """Returns `data` of an answer of the HTTP API."""
        query = urllib.parse.urlencode({k: v for k, v in parameters.items() if v is not None})
        try:
            return json.loads(fetched(f"{self.url}/api/v1/{path}?{query}")[0])["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {parameters}: {error.read().decode()}") from error

    def query(self, expr, at=None):
        """Evaluates `expr` at a time in seconds. Returns {labels: value}, where labels is a
        frozenset of pairs without the name."""
        found = {}
        for sample in self.get("query", query=expr, time=at)["result"]:
            labels = frozenset((k, v) for k, v in sample["metric"].items() if k != "__name__")
            found[labels] = float(sample["value"][1])
        return found

    def value(self, expr, at=None):
        """Returns the only value of an expression."""
        found = self.query(expr, at)
        assert len(found) == 1, (expr, found)
        return next(iter(found.values()))

    def raw(self, selector, seconds, at=None):
        """Returns the samples of one series in the last seconds as [(time, value)]."""
        result = self.get("query", query=f"{selector}[{seconds}s]", time=at)["result"]
        assert len(result) == 1, (selector, result)
        return [(float(when), float(value)) for when, value in result[0]["values"]]

    def wait_for(self, expr, accepted=bool, patience=2 * PATIENCE):
        """Waits until the result of `expr` is accepted. Returns the result."""
        found = []
        self._until(lambda: found.append(self.query(expr)) or accepted(found[-1]), patience)
        return found[-1]

    def end(self):
        end(self.process)


def scrape(targets, interval, **more):
    """Returns a configuration that scrapes these targets as the job pstat. A target is a dict with
    its address in `targets`, and its labels."""
    return {
        "global": {"scrape_interval": interval, "scrape_timeout": interval,
                   "evaluation_interval": interval},
        "scrape_configs": [{"job_name": "pstat", "static_configs": list(targets)}], **more
    }
