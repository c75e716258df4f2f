"""Whatever is done to memories in whatever order: one row holds a key, versions are exact, pages are whole."""

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.kernel.errors import Conflict
from holdfast.kernel.pages import Cursor
from holdfast.memories import batch, saving, service
from holdfast.memories.model import Filter, NewMemory, Place

quick = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

KEYS = st.sampled_from(["a", "b", "c"])
PLACES = st.sampled_from(["global", "agent"])
STEP = st.one_of(
    st.tuples(st.just("save"), PLACES, KEYS, st.booleans()),
    st.tuples(
        st.just("batch"), PLACES, st.lists(st.tuples(KEYS, st.booleans()), min_size=1, max_size=5)
    ),
    st.tuples(st.just("rename"), st.integers(0, 9), KEYS),
    st.tuples(st.just("change"), st.integers(0, 9)),
    st.tuples(st.just("retire"), st.integers(0, 9)),
    st.tuples(st.just("restore"), st.integers(0, 9), st.integers(1, 4)),
)


@dataclass
class Row:
    """What a memory should be."""

    id: str
    place: str
    holds: bool = True
    past: list[tuple[str, str, bool]] = field(
        default_factory=list
    )  # key, value, whether it was retired

    @property
    def key(self):
        return self.past[-1][0]

    @property
    def over(self):
        return self.past[-1][2]


class Model:
    """The rules, kept in plain lists beside the database."""

    def __init__(self):
        self.rows: list[Row] = []
        self.count = 0

    def value(self):
        self.count += 1
        return f"value {self.count}"

    def holder(self, place, key):
        return next((r for r in self.rows if r.holds and (r.place, r.key) == (place, key)), None)

    def saved(self, place, key, value, forced, answer):
        """What a save should have done, checked against its answer (id, version, created)."""
        holder = self.holder(place, key)
        if holder is not None and (forced or holder.over):
            holder.holds, holder = False, None
        if holder is None:
            holder = Row(answer[0], place)
            assert answer[0] not in {row.id for row in self.rows}
            self.rows.append(holder)
        holder.past.append((key, value, False))
        assert answer == (holder.id, len(holder.past), len(holder.past) == 1)


def new(place, key, value, forced):
    return NewMemory(
        fields={"key": key, "value": value},
        scope=place,
        place=Place(agent_id="bot" if place == "agent" else None),
        dedupe="create" if forced else "update",
    )


@quick
@given(steps=st.lists(STEP, max_size=25))
async def test_one_row_holds_a_key_and_versions_are_exact_in_any_history(make_org, db, steps):
    caller = (await make_org()).caller()
    model = Model()
    for step in steps:
        await take(db, caller, model, step)
    for row in model.rows:
        place = Place(agent_id="bot" if row.place == "agent" else None)
        past = (
            await service.read_history(db, caller, row.id, place=place, include_expired=True)
        ).data
        assert [(p.version, p.key, p.value) for p in past][::-1] == [
            (n + 1, key, value) for n, (key, value, _) in enumerate(row.past)
        ]
        times = [p.created_at for p in past]
        assert times == sorted(set(times), reverse=True)
        for n, (key, value, _) in enumerate(row.past):
            then = await service.read_memory(
                db, caller, row.id, place=place, include_expired=True, as_of=times[::-1][n]
            )
            assert (then.version, then.key, then.value) == (n + 1, key, value)


async def take(db, caller, model, step):
    match step:
        case ("save", place, key, forced):
            value = model.value()
            saved = await saving.save_memory(db, caller, new(place, key, value, forced))
            model.saved(place, key, value, forced, (saved.id, saved.version, saved.created))
        case ("batch", place, items):
            values = [model.value() for _ in items]
            answer = await batch.save_batch(
                db, caller, [new(place, k, v, f) for (k, f), v in zip(items, values, strict=True)]
            )
            for (key, forced), value, result in zip(items, values, answer.results, strict=True):
                model.saved(place, key, value, forced, (result.id, result.version, result.created))
        case (what, which, *more) if model.rows:
            await change(db, caller, model, model.rows[which % len(model.rows)], what, *more)


async def change(db, caller, model, row, what, *more):
    where = {
        "place": Place(agent_id="bot" if row.place == "agent" else None),
        "include_expired": True,
    }
    key, value, over = row.past[-1]
    if what == "retire":
        retired = await service.retire_memory(db, caller, row.id, place=where["place"])
        if not row.over:
            row.past.append((key, value, True))
        assert retired.version == len(row.past)
        return
    if what == "restore":
        version = min(more[0], len(row.past))
        wanted = row.past[version - 1]
        call = service.restore_memory(db, caller, row.id, version, **where)
    else:
        wanted = {
            "rename": (more[0] if more else key, value, over),
            "change": (key, model.value(), over),
        }[what]
        fields = {"key": wanted[0], "value": wanted[1]}
        call = service.change_memory(db, caller, row.id, fields, **where)
    other = model.holder(row.place, wanted[0])
    if row.holds and other not in (None, row):
        with pytest.raises(Conflict) as refused:
            await call
        assert refused.value.current.id == other.id
        return
    changed = await call
    row.past.append(wanted)
    assert (changed.key, changed.value, changed.version) == (wanted[0], wanted[1], len(row.past))


@quick
@given(
    places=st.lists(PLACES, max_size=15),
    limit=st.integers(1, 6),
    late=st.lists(st.integers(0, 5), max_size=4),
)
async def test_pages_are_whole_both_ways_while_others_write(make_org, db, places, limit, late):
    caller = (await make_org()).caller()
    made = []
    for n, place in enumerate(places):
        made.append((await saving.save_memory(db, caller, new(place, f"k{n}", "v", False))).id)
    if not made:
        return
    speaking = caller.speaking_as("bot")
    seen, cursor, writes = [], Cursor(limit=limit), set(late)
    while True:
        page = await service.list_memories(db, speaking, Filter(), cursor)
        seen += [row.id for row in page.data]
        if len(seen) in writes:
            await saving.save_memory(db, caller, new("global", f"late {len(seen)}", "v", False))
        if not page.has_more:
            break
        cursor = Cursor(limit=limit, after_id=page.last_id)
    assert seen == made[::-1]

    back, cursor = [], Cursor(limit=limit, before_id=made[0])
    while True:
        page = await service.list_memories(db, speaking, Filter(source="manual"), cursor)
        back = [row.id for row in page.data] + back
        if not page.has_more:
            break
        cursor = Cursor(limit=limit, before_id=page.first_id)
    assert [each for each in back if each in made] == made[:0:-1]
    assert len(back) == len(set(back))
