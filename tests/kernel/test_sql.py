"""Named queries."""

import pytest

from holdfast.kernel.sql import Queries


def test_statements_are_found_by_name(tmp_path):
    file = tmp_path / "queries.sql"
    file.write_text(
        "-- name: one\nSELECT 1;\n\n-- name: two\n-- says why\nSELECT 2\n ORDER BY a DESC, b DESC;\n"
    )
    queries = Queries(file)
    assert queries.one.text == "SELECT 1"
    assert queries.two.text.startswith("-- says why")
    assert queries.two.backwards.text.endswith("ORDER BY a ASC, b ASC")
    assert [query.name for query in queries] == ["one", "two"]


def test_a_name_that_is_not_there_is_an_error(tmp_path):
    (tmp_path / "queries.sql").write_text("-- name: one\nSELECT 1;\n")
    with pytest.raises(AttributeError):
        _ = Queries(tmp_path / "queries.sql").two


def test_a_name_twice_is_an_error(tmp_path):
    (tmp_path / "queries.sql").write_text("-- name: one\nSELECT 1;\n-- name: one\nSELECT 2;\n")
    with pytest.raises(ValueError, match="twice"):
        Queries(tmp_path / "queries.sql")
