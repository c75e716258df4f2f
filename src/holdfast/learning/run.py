"""One run of learning: candidates are compared with what memory holds, written, and recorded as proposals, in one transaction.

Whoever calls `learn` holds the transaction open: a job moves `settled_through` in it, a dry run rolls it back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from holdfast.kernel import given, metrics
from holdfast.kernel.caller import Caller
from holdfast.kernel.db import Database, Tx
from holdfast.kernel.embed import Embedders
from holdfast.kernel.ids import new_id
from holdfast.kernel.sight import Audience
from holdfast.kernel.sql import load
from holdfast.learning import meaning
from holdfast.learning.decision import Decision, by_comparison, by_name, restates
from holdfast.learning.facts import Fact, Facts, Held
from holdfast.learning.judge import NO_VERDICTS, UNJUDGED, Judge, Verdicts, pair_of, pairs_of
from holdfast.learning.known import Knowledge
from holdfast.learning.model import Candidate, Extraction, KnownFact
from holdfast.learning.proposal import Draft, Proposal, Result
from holdfast.learning.recording import Made, Origin, digest, read_recorded, record
from holdfast.learning.routing import route
from holdfast.learning.writing import Writer

queries = load(__file__)

MAX_PENDING = 1_000
MAX_EMBEDDED = 200
"""How many earlier statements are compared by meaning, the newest first."""
WORTH_A_LOOK = 0.1
"""From this probability of a replacement on, a fact is compared although recall does not find it."""
ECHO = "it restates what this session was given from memory"
OLDER = "something newer is held already"
PENDING = "the same waits for a decision already"


@dataclass(frozen=True, slots=True)
class _Learned:
    message_id: str
    quote_digest: str
    slot: str
    proposal_id: str


@dataclass(frozen=True, slots=True)
class _Settings:
    review_extractions: bool
    redact_patterns: list[str]


@dataclass(slots=True)
class Run:
    """What one run works with."""

    db: Database
    tx: Tx
    caller: Caller
    origin: Origin
    audience: str
    review: bool
    facts: Facts
    writer: Writer
    knowledge: Knowledge
    given: list[KnownFact]
    pending: list[KnownFact]
    vectors: Mapping[str, meaning.Vector] = field(default_factory=dict)
    verdicts: Verdicts = field(default_factory=dict)
    shown: Mapping[str, Held] = field(default_factory=dict)
    made: list[Made] = field(default_factory=list)


def owner_of(caller: Caller) -> str:
    """Whose memory is learned for: the user's, without one the agent's."""
    if caller.user_id is not None:
        return Audience(user_id=caller.user_id).text
    return Audience(agent_id=caller.agent_id).text


async def open_run(
    db: Database, tx: Tx, caller: Caller, origin: Origin, *, only_reads: bool = False
) -> Run:
    """Begin a run in an open transaction. Runs for the same owner wait for each other, those that only read for none."""
    audience = owner_of(caller)
    if not only_reads:
        await tx.run(queries.lock_owner, audience=audience)
    settings = await tx.one(_Settings, queries.read_settings)
    reviews = settings is not None and settings.review_extractions
    facts = await Facts.load(tx, audience)
    writer = Writer(db, tx, caller, facts, origin.session_id)
    texts = [] if origin.session_id is None else await given.read(tx, caller, origin.session_id)
    run = Run(
        db,
        tx,
        caller,
        origin,
        audience,
        reviews,
        facts,
        writer,
        Knowledge(db, tx, caller, facts, writer.blocks),
        [KnownFact(each.object_id, each.content) for each in texts],
        await _pending(tx, audience) if reviews else [],
    )
    await run.knowledge.lines()  # reads the blocks, which tells which learned lines still stand
    return run


async def _pending(tx: Tx, audience: str) -> list[KnownFact]:
    """What waits for a decision, so that it is not proposed twice."""
    return await tx.all(KnownFact, queries.pending_of, audience=audience, limit=MAX_PENDING)


async def meant(
    db: Database, caller: Caller, extraction: Extraction
) -> tuple[Mapping[str, meaning.Vector], Verdicts]:
    """What candidates without a slot are compared by: the vectors of their words and of those that facts rest on, and verdicts on
    pairs of them.

    Called before the transaction of a run, since an embedder may be far away.
    """
    free = [each for each in extraction.candidates if not each.attribute and not each.quarantined]
    if not free:
        return meaning.NONE, NO_VERDICTS
    async with db.read(caller) as tx:
        facts = await Facts.load(tx, owner_of(caller))
    said = [fact.said for fact in facts.held()][:MAX_EMBEDDED]
    embedder = await db.services.get(Embedders).serving()
    own = [words for each in free for words in meaning.compared_by(each)]
    vectors = await meaning.embed_words(embedder, [*own, *said])
    if not vectors:
        return vectors, NO_VERDICTS
    quotes = [each.sources[0].quote for each in free]  # the earlier may be a fact by then
    pairs = [
        pair
        for place, each in enumerate(free)
        for pair in pairs_of(each, [*said, *quotes[:place]], vectors)
    ]
    verdicts = await db.services.get(Judge).verdicts(pairs)
    metrics.learning_judged.inc(len(verdicts))
    return vectors, verdicts


async def learn(run: Run, extraction: Extraction) -> list[Proposal]:
    """Decide over an extraction and write the result: the proposals, applied unless the org reviews them."""
    await _retract(run, extraction.retracted)
    learned = await _already_learned(run, extraction.candidates)
    for candidate in extraction.candidates:
        draft = route(candidate, run.caller)
        if not _is_learned(draft, learned):
            await _decide(run, candidate, draft)
    return await finish(run)


async def finish(run: Run) -> list[Proposal]:
    """Write the blocks, then the proposals with what they became."""
    await flush(run)
    for made in run.made:
        await record(run.tx, run.caller, run.origin, run.audience, made)
    return [await read_recorded(run.tx, run.caller, made.id) for made in run.made]


async def flush(run: Run) -> None:
    """Write the blocks, and where the facts of earlier runs stand now."""
    await run.writer.flush()
    for made in run.made:
        if made.fact is None or not made.fact.is_new:
            continue
        if made.fact.place == "line":
            version = run.writer.blocks.version(made.fact)
            made.result = Result(made.fact.object_id, version)
        elif made.fact.was_moved:
            made.result = Result(made.fact.object_id, 1)
    over = [fact.id for fact in run.facts.all if fact.is_over and not fact.is_new]
    if over:
        await run.tx.run(queries.end_facts, ids=over)
    for fact in run.facts.all:
        if fact.was_moved and not fact.is_new:
            await run.tx.run(
                queries.move_fact, id=fact.id, place=fact.place, object_id=fact.object_id
            )


# --- deciding --------------------------------------------------------------------------------------------------------


async def _already_learned(run: Run, candidates: Sequence[Candidate]) -> set[tuple[str, str, str]]:
    ids = sorted({source.message_id for each in candidates for source in each.sources})
    rows = await run.tx.all(
        _Learned,
        queries.sources_learned,
        audience=run.audience,
        conversation=run.origin.conversation,
        message_ids=ids,
    )
    return {(row.message_id, row.quote_digest, row.slot) for row in rows}


def _is_learned(draft: Draft, learned: set[tuple[str, str, str]]) -> bool:
    """Whether the words that a draft rests on first were learned from before."""
    first = draft.cited[0] if draft.cited else None
    return first is not None and (first.message_id, digest(first.quote), first.slot) in learned


async def _decide(run: Run, candidate: Candidate, draft: Draft) -> None:
    made = Made(new_id("prop"), draft)
    if draft.quarantined:
        made.status = "quarantined"
        run.made.append(made)
        return
    decision = await _by_name(run, candidate, draft)
    if decision is None:
        held = _of_others(run, candidate, await _compared(run, candidate, draft))
        decision = by_comparison(candidate, held, run.vectors, run.verdicts)
    if candidate.only_as_change and not decision.replaced:
        return
    run.made.append(made)
    made.draft = replace(draft, reason=decision.reason(draft.reason))
    await _carry_out(run, made, candidate, decision)


async def _compared(run: Run, candidate: Candidate, draft: Draft) -> list[Held]:
    """What a candidate is compared with: what recall finds for its words, and what the judge says that it may end."""
    held = {each.known.id: each for each in await run.knowledge.around(draft)}
    if candidate.attribute or not run.verdicts:
        return list(held.values())
    for place, fact in enumerate(run.facts.held()):
        if not fact.is_new and place >= MAX_EMBEDDED:
            continue  # it was not judged
        verdict = run.verdicts.get(pair_of(candidate, fact.said), UNJUDGED)
        if verdict.replaces >= WORTH_A_LOOK:
            found = await run.knowledge.of_fact(fact)
            if found is not None:
                held.setdefault(found.known.id, found)
    return list(held.values())


async def _carry_out(run: Run, made: Made, candidate: Candidate, decision: Decision) -> None:
    replaced = [each for each in decision.replaced if not _is_newer(each, made.draft)]
    if decision.same is not None:
        await _support(run, made, decision.same)
    elif restates(candidate, _given(run, decision)):
        made.draft = made.draft.of("none", ECHO)
        run.tx.on_commit(metrics.learning_echoes.inc)
        return
    elif restates(candidate, run.pending):
        made.draft = made.draft.of("none", PENDING)
        return
    elif replaced:
        await _supersede(run, made, replaced.pop(0))
    elif decision.replaced:
        made.draft = made.draft.of("none", OLDER)
        made.result = Result(decision.replaced[0].object_id, decision.replaced[0].version)
    else:
        await _add(run, made)
    for each in replaced:
        await _supersede_too(run, made, each)


async def _by_name(run: Run, candidate: Candidate, draft: Draft) -> Decision | None:
    """What the extractor named, where it was shown what is held and named any of it."""
    names = [each for each in (candidate.restates, *candidate.replaces) if each is not None]
    held = [run.shown[each] for each in names if each in run.shown]
    shown = {each.known.id: each for each in _of_others(run, candidate, held)}
    decision = await by_name(candidate, draft, shown, run.knowledge) if shown else None
    outcome = "used" if decision is not None else "left"
    if names:
        run.tx.on_commit(metrics.learning_named.labels(outcome).inc)
    return decision


def _of_others(run: Run, candidate: Candidate, held: Sequence[Held]) -> list[Held]:
    """What is held, without what came from the candidate's own messages."""
    own = {f"{run.origin.conversation} {source.message_id}" for source in candidate.sources}
    return [each for each in held if each.fact is None or not own & set(each.fact.messages)]


def _is_newer(held: Held, draft: Draft) -> bool:
    return bool(held.said_at and draft.valid_from and held.said_at > draft.valid_from)


def _given(run: Run, decision: Decision) -> list[KnownFact]:
    """What the session was given, without what the extractor named as replaced: a change in nearly the same words is no echo."""
    if not decision.is_named:
        return run.given
    replaced = {each.content for each in decision.replaced}
    return [each for each in run.given if each.text not in replaced]


async def _add(run: Run, made: Made) -> None:
    if run.review:
        made.status = "pending"
        return
    await write(run, made, None)


async def _support(run: Run, made: Made, held: Held) -> None:
    """The same is held already: only a source is added."""
    made.draft = replace(made.draft.of("none", f"the same is held already: {made.draft.reason}"))
    made.fact = held.fact
    made.result = Result(held.object_id, held.version)
    if not run.review:
        made.result = await run.writer.support(held, made.draft)
    if held.fact is not None:
        held.fact.messages += _messages(run, made.draft)
    run.tx.on_commit(metrics.learning_duplicates.inc)


async def _supersede(run: Run, made: Made, held: Held) -> None:
    made.draft = replace(made.draft.of("supersede"), before=held.content, supersedes=held.object_id)
    if run.review:
        made.status = "pending"
        return
    await write(run, made, held)


async def _supersede_too(run: Run, made: Made, held: Held) -> None:
    """A further fact that the statement of a proposal replaces: a proposal of its own, with the same result."""
    draft = replace(made.draft.of("supersede"), before=held.content, supersedes=held.object_id)
    further = Made(new_id("prop"), draft, result=made.result, fact=made.fact)
    run.made.append(further)
    if run.review:
        further.status = "pending"
        return
    await run.writer.end(held, successor=made.result, at=draft.valid_from)


async def write(run: Run, made: Made, held: Held | None) -> None:
    """Write the statement of a proposal, and end the one that it replaces, where there is one."""
    fact = None
    if held is not None:
        fact = await run.writer.replace_line(held, made.id, made.draft)
    if fact is not None and held is not None:
        made.fact = fact
        if held.fact is not None:
            held.fact.is_over = True
    else:
        made.fact, made.result = await run.writer.add(made.id, made.draft)
        if held is not None:
            await run.writer.end(held, successor=made.result, at=made.draft.valid_from)
    _is_new(run, made)


def _is_new(run: Run, made: Made) -> None:
    made.is_new = True
    if made.fact is not None:
        made.fact.messages = _messages(run, made.draft)


def _messages(run: Run, draft: Draft) -> list[str]:
    return [f"{run.origin.conversation} {each.message_id}" for each in draft.cited]


async def _retract(run: Run, retracted: Sequence[str]) -> None:
    """Retire what rests only on messages that the user took back."""
    gone = {f"{run.origin.conversation} {each}" for each in retracted}
    for fact in run.facts.resting_on(gone) if gone else []:
        held = await run.knowledge.of_fact(fact)
        if held is None:
            continue
        made = Made(new_id("prop"), _retirement(fact))
        run.made.append(made)
        made.result = Result(fact.object_id, held.version)
        if run.review:
            made.status = "pending"
        else:
            await run.writer.end(held, successor=None, at=run.tx.now)


def _retirement(fact: Fact) -> Draft:
    targets: dict[str, Any] = {"line": "block"}
    return Draft(
        action="retire",
        target=targets.get(fact.place, fact.place),
        content=fact.content,
        kind=fact.kind,  # type: ignore[arg-type]  # it was a candidate's
        confidence=1.0,
        trust=fact.trust,  # type: ignore[arg-type]
        reason="the user took back what it rests on",
        block_type=fact.block_type if fact.place == "line" else None,
        scope=fact.scope,
        key=fact.key,
        before=fact.content,
        supersedes=fact.object_id,
        subject=fact.subject,
        attribute=fact.attribute,
        value=fact.value,
    )
