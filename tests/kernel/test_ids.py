"""Ids that carry an instant."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.ids import id_at, ids_between, is_id

instants = st.timedeltas(timedelta(days=1), timedelta(days=80_000)).map(
    lambda since: datetime(1970, 1, 1, tzinfo=UTC) + since
)


@given(at=instants, later=st.timedeltas(timedelta(microseconds=1), timedelta(days=9)))
def test_ids_sort_as_their_instants_do(at, later):
    assert is_id(id_at("memver", at), "memver")
    assert id_at("memver", at) < id_at("memver", at + later)


@given(at=instants)
def test_bounds_hold_exactly_the_ids_of_their_instants(at):
    low, high = ids_between("memver", at, at)
    before, after = at - timedelta(microseconds=1), at + timedelta(microseconds=1)
    assert low < id_at("memver", at) < high
    assert id_at("memver", before) < low
    assert high < id_at("memver", after)
    assert ids_between("memver", None, None) == (None, None)
