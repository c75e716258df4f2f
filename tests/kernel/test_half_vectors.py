import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.kernel.connection import Connection
from holdfast.kernel.half_vectors import HalfVector

NUMBERS = st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=50)


@given(NUMBERS)
def test_numbers_come_back_as_they_are_in_half_precision(row):
    assert HalfVector.of(row).numbers.tolist() == row


@given(NUMBERS)
def test_a_text_says_the_same_to_five_digits(row):
    read = [float(each) for each in HalfVector.of(row).text.strip("[]").split(",")]
    assert (
        np.abs(np.array(read) - np.array(row)).max() < 0.501e-5
    )  # half of the last digit, and what floating point adds


@pytest.mark.parametrize("prepared", [False, True])
async def test_postgres_receives_the_same_in_both_forms(service, prepared):
    vector = HalfVector.of([0.25, -1.0, 0.0, 0.03125])
    ask = "SELECT (%s::halfvec)::text, (%s::halfvec)::text"
    async with await Connection.connect(service.app_url) as connection:
        cursor = await connection.execute(ask, [vector, vector.text], prepare=prepared)
        assert await cursor.fetchone() == ("[0.25,-1,0,0.03125]", "[0.25,-1,0,0.03125]")
