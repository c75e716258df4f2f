"""Code generators read the OpenAPI document without a warning and leave no operation out.

They are not among the project's dependencies: the test runs where `openapi-python-client` is on the PATH
(`pipx install openapi-python-client`).
"""

import json
import shutil
import subprocess

import pytest

from holdfast.app import make_app
from holdfast.deployment import Config

GENERATOR = shutil.which("openapi-python-client")


# Media types that generators can read and send; others are left out, or take the operation with them.
SENT = {"application/json", "application/octet-stream"}
READ = SENT | {"text/plain", "text/markdown", "application/problem+json"}


def test_every_operation_has_a_body_and_an_answer_in_a_form_that_generators_know():
    document = make_app(Config("postgresql://none/none")).openapi()
    for item in document["paths"].values():
        for operation in item.values():
            name = operation["operationId"]
            assert set(operation.get("requestBody", {}).get("content", {})) <= SENT, name
            for status, response in operation["responses"].items():
                types = set(response.get("content", {}))
                assert not types or types & READ, f"{name} {status}: edge/zips.py describes zips"


@pytest.mark.skipif(GENERATOR is None, reason="openapi-python-client is not installed")
def test_a_python_client_is_generated_for_every_operation(tmp_path):
    document = make_app(Config("postgresql://none/none")).openapi()
    source, made = tmp_path / "openapi.json", tmp_path / "client"
    source.write_text(json.dumps(document))
    done = subprocess.run(
        [GENERATOR, "generate", "--path", source, "--output-path", made, "--meta", "none"],
        capture_output=True, text=True, timeout=120, check=False, env={"PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stdout + done.stderr, done.stdout
    modules = [each for each in (made / "api").rglob("*.py") if each.name != "__init__.py"]
    assert len(modules) == sum(len(item) for item in document["paths"].values())
