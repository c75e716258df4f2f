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


def test_a_fragment_is_filled_in_where_it_is_named(tmp_path):
    file = tmp_path / "queries.sql"
    file.write_text(
        "-- fragment: columns\n-- What is shown.\na, b\n\n-- fragment: more\n{columns}, c\n\n"
        "-- name: one\nSELECT {more} FROM t WHERE d = '{}';\n\n-- name: two\nSELECT {columns};\n"
    )
    queries = Queries(file)
    assert queries.one.text == "SELECT a, b, c FROM t WHERE d = '{}'"
    assert queries.two.text == "SELECT a, b"
    assert [query.name for query in queries] == ["one", "two"]


def test_a_fragment_that_is_not_there_is_an_error_at_load(tmp_path):
    file = tmp_path / "queries.sql"
    file.write_text("-- name: one\nSELECT {columns};\n")
    with pytest.raises(ValueError, match="no fragment columns"):
        Queries(file)


def test_the_kernels_fragments_are_there_for_every_file(tmp_path):
    file = tmp_path / "queries.sql"
    file.write_text("-- name: one\nSELECT sees({by}, 'org');\n")
    assert "%(by_user)s, %(by_agent)s" in Queries(file).one.text
