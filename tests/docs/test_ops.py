"""The dashboard and the alert rules name metrics that the service has."""

import json
import re

import httpx
import yaml

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
