"""Ids."""

from concurrent.futures import ThreadPoolExecutor

from holdfast.kernel.ids import is_client_id, is_id, new_id


def test_ids_made_one_after_the_other_sort_in_that_order():
    made = [new_id("mem") for _ in range(10_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_threads_never_make_the_same_id():
    with ThreadPoolExecutor(8) as pool:
        batches = pool.map(lambda _: [new_id("mem") for _ in range(2_000)], range(8))
        made = [one for batch in batches for one in batch]
    assert len(set(made)) == len(made)


def test_an_id_is_told_from_what_is_none():
    assert is_id(new_id("memstore"), "memstore")
    assert not is_id(new_id("memstore"), "mem")
    assert not is_id("mem_xyz", "mem")
    assert not is_id("mem_" + "0" * 33, "mem")


def test_client_ids_end_at_128_characters():
    assert is_client_id("a" * 128)
    assert not is_client_id("a" * 129)
    assert is_client_id("ana@example.com:1_2-3")
    for bad in ("", "a b", "a/b", "ä", "a\n"):
        assert not is_client_id(bad)
