"""What is generated from the OpenAPI document is current. `HOLDFAST_WRITE_DOCS=1 pytest tests/sdk_ts` writes it anew."""

import json
import os
import shutil

from tests.contract.test_operation_ids import DOCUMENT
from tests.sdk_ts.conftest import FOLDER

GENERATED = FOLDER / "src" / "generated"
FILES = ("openapi.ts", "routes.ts")


def test_types_and_routes_are_those_of_the_document(node, tmp_path):
    told = node.run("scripts/generate.mjs", tmp_path, stdin=json.dumps(DOCUMENT))
    assert told == "", "the generator warns about the document"
    for name in FILES:
        if os.environ.get("HOLDFAST_WRITE_DOCS"):
            shutil.copy(tmp_path / name, GENERATED / name)
        assert (GENERATED / name).read_text() == (tmp_path / name).read_text(), (
            f"{name} is old: HOLDFAST_WRITE_DOCS=1 pytest tests/sdk_ts/test_generated.py"
        )


def test_every_operation_of_the_document_has_its_route():
    """Without Node too: an operation that was added is missed here even where the generator cannot run."""
    routes = (GENERATED / "routes.ts").read_text()
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            line = f'"{operation["operationId"]}": ["{method.upper()}", "{path}"],'
            assert line in routes, f"{line} is missing: make the types anew"


def test_the_lock_names_no_host_and_no_package_is_needed_at_run_time():
    text = (FOLDER / "package-lock.json").read_text()
    assert "://" not in text, "remove `resolved` and `funding`"
    lock = json.loads(text)
    package = json.loads((FOLDER / "package.json").read_text())
    assert "dependencies" not in package
    assert all(each.get("dev") for name, each in lock["packages"].items() if name)
