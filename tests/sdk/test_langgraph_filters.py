"""LangGraph's filters, value by value."""

import pytest

pytest.importorskip("langgraph.store.base", reason="langgraph-checkpoint is not installed")

from holdfast_client.langgraph.filters import check, matches

VALUE = {"size": 3, "price": "4.5", "meta": {"author": "ana", "n": None}, "a.b": 1, "tags": ["x"]}


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        (None, True),
        ({}, True),
        ({"size": 3}, True),
        ({"size": 3, "tags": ["x"]}, True),
        ({"size": 3, "tags": ["y"]}, False),
        ({"size": {"$gt": 2, "$lte": 3}}, True),
        ({"size": {"$gt": 3}}, False),
        ({"size": {"$eq": 3}}, True),
        ({"size": {"$ne": 3}}, False),
        # A number and a text of a number compare as numbers.
        ({"price": {"$gte": 4}}, True),
        ({"price": {"$lt": 4}}, False),
        ({"size": {"$lt": "10"}}, True),
        # What cannot be compared does not fit, and one such item does not fail the search.
        ({"tags": {"$gt": 1}}, False),
        ({"size": {"$gt": "many"}}, False),
        ({"meta": {"$lt": 1}}, False),
        # A field that is not there, or is null, fits nothing but $ne.
        ({"none": 1}, False),
        ({"none": {"$lt": 1}}, False),
        ({"none": {"$ne": 1}}, True),
        ({"meta.n": {"$gte": 0}}, False),
        ({"meta.n": None}, True),
        # Below an object by dots, or by an object of the same shape; a name with a dot goes first.
        ({"meta.author": "ana"}, True),
        ({"meta.author.name": "ana"}, False),
        ({"meta": {"author": "ana"}}, True),
        ({"meta": {"author": {"$ne": "bob"}}}, True),
        ({"meta": {"editor": "ana"}}, False),
        ({"size": {"author": "ana"}}, False),
        ({"a.b": 1}, True),
    ],
)
def test_a_value_fits_its_conditions(wanted, fits):
    check(wanted)
    assert matches(VALUE, wanted) is fits


@pytest.mark.parametrize("key", ["", "a'b", "a;b", "a\nb", 'a"b', "a->b"])
def test_a_key_that_cannot_be_meant_is_refused(key):
    with pytest.raises(ValueError, match="Invalid filter key"):
        check({"size": 1, key: 1})


@pytest.mark.parametrize("operator", ["$regex", "$in", "$", "$GT"])
def test_an_unknown_operator_is_named(operator):
    with pytest.raises(ValueError, match="Unsupported operator: \\" + operator):
        check({"size": {"$gt": 1, operator: 2}})
