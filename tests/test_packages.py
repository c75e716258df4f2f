"""What goes into the wheels and sdists, as the build backend selects it; nothing is built, so that this is cheap."""

import tomllib
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parent.parent
PACKAGES = {"holdfast": ROOT, "holdfast-client": ROOT / "sdk", "holdfast-minilm": ROOT / "minilm"}


def project(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]


def files_of(builder: WheelBuilder | SdistBuilder) -> set[str]:
    """The paths inside the archive."""
    chosen = {file.distribution_path for file in builder.recurse_included_files()}
    for source, target in builder.config.force_include.items():
        path = Path(source)
        below = [each for each in path.rglob("*") if each.is_file()] if path.is_dir() else [path]
        chosen |= {str(Path(target) / each.relative_to(path)) for each in below}
    return chosen


def files_in(folder: Path, inside: str) -> set[str]:
    """The paths that a folder's files must have inside an archive."""
    return {
        str(Path(inside) / path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def test_the_wheel_of_the_service_has_all_that_it_reads_at_run_time() -> None:
    packed = files_of(WheelBuilder(str(ROOT)))
    source = files_in(ROOT / "src" / "holdfast", "holdfast")
    assert source <= packed
    assert {Path(name).suffix for name in source} >= {".py", ".sql", ".html", ".css", ".js"}
    assert files_in(ROOT / "docs", "holdfast/guide") <= packed
    assert {name for name in packed if name.startswith("holdfast/demo_data/")}
    assert not {name for name in packed if name.startswith(("tests", "bench", "holdfast_client"))}


def test_the_wheel_can_be_built_from_the_sdist() -> None:
    packed = files_of(SdistBuilder(str(ROOT)))
    for source in WheelBuilder(str(ROOT)).config.force_include:
        path = Path(source)
        needed = (
            files_in(path, str(path.relative_to(ROOT)))
            if path.is_dir()
            else {str(path.relative_to(ROOT))}
        )
        assert needed <= packed
    assert files_in(ROOT / "src" / "holdfast", "src/holdfast") <= packed


def test_the_wheel_of_the_client_is_typed_and_licensed() -> None:
    builder = WheelBuilder(str(ROOT / "sdk"))
    packed = files_of(builder)
    assert files_in(ROOT / "sdk" / "src" / "holdfast_client", "holdfast_client") == packed
    assert "holdfast_client/py.typed" in packed
    assert builder.metadata.core.license_files == ["LICENSE"]


def test_the_wheel_of_the_model_takes_the_model_and_its_sdist_the_recipe() -> None:
    root = ROOT / "minilm"
    assert files_in(root / "src" / "holdfast_minilm", "holdfast_minilm") <= files_of(
        WheelBuilder(str(root))
    )
    recipe = files_of(SdistBuilder(str(root)))
    assert "hatch_build.py" in recipe
    assert not {name for name in recipe if "/model/" in name}


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_are_released_together(name: str) -> None:
    described = project(PACKAGES[name])
    assert (described["name"], described["version"]) == (name, project(ROOT)["version"])
    assert described["license"] == "Apache-2.0"
    assert (PACKAGES[name] / described["license-files"][0]).read_text().strip()
    assert (PACKAGES[name] / described["readme"]).exists()


def test_every_extra_of_the_client_is_on_the_page_of_frameworks() -> None:
    page = (ROOT / "docs" / "frameworks.md").read_text() + (
        ROOT / "docs" / "anthropic.md"
    ).read_text()
    for extra in project(ROOT / "sdk")["optional-dependencies"]:
        assert f"holdfast-client[{extra}]" in page, extra
