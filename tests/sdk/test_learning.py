"""Learning through both clients."""

import pytest

from holdfast_client import Conflict

SAID = [{"role": "user", "content": "Remember that I park on level 3."}]


async def test_a_session_is_settled_and_undone(both):
    ana = both.scope(user="ana", session="talk")
    ana.sync.sessions.append(SAID)
    rehearsed = await ana.awaited.sessions.settle(dry_run=True)
    assert [each.content for each in rehearsed.proposals] == ["The user parks on level 3."]

    settling = ana.sync.sessions.settle()
    job = ana.sync.jobs.wait(settling.job_id)
    assert job.extractor == "rules"
    [proposal] = (await ana.awaited.proposals.list(job_id=job.id)).data
    assert proposal.status == "applied"
    session = await ana.awaited.directory.read_session()
    assert session.settled_through[0].resource_id == "sessions"
    assert ana.sync.sessions.settle().status == "nothing_new"

    undone = await ana.awaited.jobs.revert(job.id)
    assert [each.id for each in undone.reverted] == [proposal.result.id]
    assert ana.sync.memories.list().data == []


async def test_proposals_are_decided(both):
    both.sync.directory.change_org(review_extractions=True)
    ana = both.scope(user="ana")
    found = await ana.awaited.memories.extract(
        [*SAID, {"role": "user", "content": "My name is Teodora."}]
    )
    first, second = found.proposals
    assert found.applied == 0

    edited = ana.sync.proposals.edit(first.id, content="Parks on level 4")
    assert edited.content == "Parks on level 4"
    [accepted] = (await ana.awaited.proposals.accept_many([first.id])).data
    assert accepted.status == "applied"
    with pytest.raises(Conflict) as refused:
        ana.sync.proposals.reject(first.id)
    assert refused.value.current.status == "applied"
    assert (await ana.awaited.proposals.reject(second.id)).status == "rejected"
    assert ana.sync.proposals.get(second.id).status == "rejected"


async def test_memory_is_measured_and_consolidated(both):
    ana = both.scope(user="ana")
    for key, value in (("a", "I park on level 3."), ("b", "On level 3 I park.")):
        ana.sync.memories.save(key, value)
    assert (await ana.awaited.learning.hygiene()).memory.duplicates.count == 1
    [merge] = ana.sync.learning.consolidate(kinds=["duplicates"]).proposals
    assert merge.action == "merge"
    job = ana.sync.jobs.wait((await ana.awaited.learning.consolidate(dry_run=False)).job_id)
    assert job.result["proposals"] == {"merge": 1}
    assert ana.sync.learning.hygiene().memory.duplicates.count == 0
