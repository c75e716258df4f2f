"""Entries as the specification tells of them, slowly: lists and loops, no database."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

TICK = timedelta(microseconds=1)


@dataclass(frozen=True)
class Fact:
    """One entry, alive or not."""

    id: str
    owner: str  # "agent", "user" (one user with the agent) or "workspace"
    run: str | None
    key: str
    category: str
    content: str
    tags: tuple[str, ...]
    created_at: datetime
    updated_at: datetime

    @property
    def size(self) -> int:
        texts = (self.key, self.content, self.category, *self.tags)
        return sum(len(text.encode()) for text in texts)

    @property
    def age(self) -> tuple[datetime, str]:
        return (self.updated_at, self.id)


class Refused(Exception):
    """Full of core entries."""


class RunIsOver(Exception):
    """The run has ended."""


@dataclass
class Reference:
    """One agent with one user, its runs and its workspace."""

    cap: int
    facts: list[Fact] = field(default_factory=list)
    runs: dict[str, datetime] = field(default_factory=dict)  # last used
    ended: set[str] = field(default_factory=set)

    def lives(self, fact: Fact, now: datetime) -> bool:
        if fact.category == "daily":
            return now < fact.updated_at + timedelta(hours=72)
        if fact.run is not None:
            return self.runs_on(fact.run, now)
        return True

    def runs_on(self, run: str, now: datetime) -> bool:
        return run not in self.ended and now < self.runs[run] + timedelta(hours=24)

    def living(self, now: datetime) -> list[Fact]:
        return [fact for fact in self.facts if self.lives(fact, now)]

    def use(self, run: str | None, now: datetime) -> None:
        if run is None:
            return
        if not self.runs_on(run, now):
            raise RunIsOver
        self.runs[run] = max(now, self.runs[run])

    def store(
        self, now, key, content, category, tags, run, scope="agent"
    ) -> tuple[Fact, list[str]]:
        """The fact (its id is the service's to give) and the keys that went for it."""
        self.use(run, now)
        owner = "workspace" if category == "workspace" else scope
        in_run = run if category == "conversation" else None
        there = [f for f in self.living(now) if (f.owner, f.run, f.key) == (owner, in_run, key)]
        fact = Fact("", owner, in_run, key, category, content, tuple(tags), now, now)
        if there:
            old = there[0]
            self.facts.remove(old)
            fact = replace(
                fact,
                created_at=old.created_at,
                updated_at=max(now, old.updated_at + TICK),
            )
            self.facts.append(fact)
            return fact, []
        mine = [f for f in self.living(now) if f.owner == owner]
        gone = []
        while len(mine) >= self.cap:
            others = [f for f in mine if f.category != "core"]
            if not others and category != "core":
                raise Refused
            coldest = min(others or mine, key=lambda f: f.age)
            mine.remove(coldest)
            self.facts.remove(coldest)
            gone.append(coldest.key)
        self.facts = [f for f in self.facts if (f.owner, f.run, f.key) != (owner, in_run, key)]
        self.facts.append(fact)
        return fact, gone

    def name(self, fact: Fact, id: str) -> None:
        """Give the last stored fact the id that the service gave it."""
        self.facts[self.facts.index(fact)] = replace(fact, id=id)

    def seen(self, now: datetime, run: str | None) -> list[Fact]:
        """What the agent sees, newest first."""
        facts = [f for f in self.living(now) if f.run in (None, run)]
        return sorted(facts, key=lambda f: f.age, reverse=True)

    def recall(self, now: datetime, key: str, run: str | None) -> Fact | None:
        found = [f for f in self.seen(now, run) if f.key == key]
        found.sort(key=lambda f: (f.run is None, ("user", "agent", "workspace").index(f.owner)))
        return found[0] if found else None

    def forget(self, now: datetime, key: str, run: str | None) -> bool:
        self.use(run, now)
        found = self.recall(now, key, run)
        if found is not None:
            self.facts.remove(found)
        return found is not None


def hydrate(newest_first: list[Fact], budget: int) -> list[Fact]:
    """What fits, newest first."""
    core = [f for f in newest_first if f.category == "core"]
    rest = [f for f in newest_first if f.category != "core"]
    chosen, left = [], budget
    for fact in core:
        if fact.size > left and chosen:
            break
        chosen.append(fact)
        left -= fact.size
        if left < 0:
            break
    for fact in rest:
        if fact.size > left and (chosen or core):
            break
        chosen.append(fact)
        left -= fact.size
        if left < 0:
            break
    return [f for f in newest_first if f in chosen]
