"""Hits that are made only where somebody takes them."""

import numpy as np

from holdfast.kernel.recall.lazy import LazyHits, LazyParts
from holdfast.kernel.recall.model import Hit


def hits_of(places):
    made = []

    def make(place):
        made.append(place)
        return Hit("memory", f"m{place}", 1.0 - place / 10, {}, (), (), 0, 0)

    return LazyHits(places, make), made


def test_only_what_is_taken_is_made():
    hits, made = hits_of([4, 2, 7, 1])
    assert len(hits) == 4
    assert hits
    best = hits[:2]
    assert len(best) == 2
    assert made == []
    assert [hit.object_id for hit in best] == ["m4", "m2"]
    assert made == [4, 2]
    assert hits[-1].object_id == "m1"
    assert [hit.object_id for hit in hits] == ["m4", "m2", "m7", "m1"]
    assert hits[1] in list(hits)
    none, _ = hits_of([])
    assert not none
    assert list(none) == []


def test_parts_are_those_that_add_something():
    columns = {"lexical": np.array([0.25, 0.0]), "semantic": np.array([0.5, 0.125])}
    assert dict(LazyParts(columns, 0)) == {"lexical": 0.25, "semantic": 0.5}
    assert LazyParts(columns, 1) == {"semantic": 0.125}
    assert len(LazyParts(columns, 1)) == 1
    assert LazyParts(columns, 0)["lexical"] == 0.25
