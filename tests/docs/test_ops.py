"""The files for operators name metrics, settings and paths that there are."""

import json
import re

import httpx
import yaml

from holdfast.settings import Settings
from tests.docs.examples import ROOT

NAME = re.compile(r"\bholdfast_[a-z_]+")


def names_of_the_service(service) -> set[str]:
    text = httpx.get(f"{service.url}/metrics").text
    declared = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    histograms = set(re.findall(r"^# TYPE (\S+) histogram", text, re.MULTILINE))
    return declared | {
        f"{name}{end}" for name in histograms for end in ("_bucket", "_count", "_sum")
    }


def test_the_dashboard_shows_metrics_that_there_are(service):
    dashboard = json.loads((ROOT / "ops" / "grafana-dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    used = {name for query in queries for name in NAME.findall(query)}
    assert len(used) > 10
    assert used <= names_of_the_service(service)


def test_the_alerts_watch_metrics_that_there_are(service):
    rules = yaml.safe_load((ROOT / "ops" / "prometheus-alerts.yml").read_text())["groups"][0][
        "rules"
    ]
    used = {name for rule in rules for name in NAME.findall(rule["expr"])}
    assert len(used) > 4
    assert used <= names_of_the_service(service)
    for rule in rules:
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def settings_in(text: str) -> set[str]:
    return set(re.findall(r"\bHOLDFAST_([A-Z_]+)\b", text))


def test_the_image_is_made_of_files_that_there_are():
    text = (ROOT / "Dockerfile").read_text()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
    paths = [path for line in copied for path in line.split()]
    assert {"requirements.lock", "src", "sdk", "minilm"} <= set(paths)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert {name.lower() for name in settings_in(text)} <= set(Settings.model_fields)


def test_compose_starts_two_processes_and_a_worker_with_settings_that_there_are():
    text = (ROOT / "compose.yaml").read_text()
    assert {name.lower() for name in settings_in(text)} <= set(Settings.model_fields)
    services = yaml.safe_load(text)["services"]
    assert services["api"]["command"] == ["serve", "--processes", "2", "--no-worker"]
    assert services["worker"]["command"] == ["worker"]
    for service in ("api", "worker"):
        assert services[service]["environment"]["HOLDFAST_DATABASE_URL"].endswith(
            "@db:5432/holdfast"
        )
        assert set(services[service]["depends_on"]) <= set(services)
