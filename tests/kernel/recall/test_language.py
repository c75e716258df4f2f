"""An org that changes its language finds what it had by the words of the new one."""

import asyncio

WALKS = "Der Hund ist durch die Häuser gelaufen"


async def changed_to(api, language):
    """Change the language, and wait for the job that follows."""
    assert (await api.patch("/org", json={"language": language})).status_code == 200
    for _ in range(900):
        jobs = (await api.get("/jobs")).json()["data"]
        job = next(each for each in jobs if each["kind"] == "reword")
        if job["status"] == "succeeded":
            return job
        assert job["status"] in ("queued", "running"), job
        await asyncio.sleep(0.1)
    raise AssertionError("the job did not end")


async def found(api, query):
    """The keys of what is found by a word of the query, not by a part of one."""
    asked = {"q": query, "mode": "lexical"}
    reply = (await api.post("/memories/recall", json=asked)).json()
    return [row["key"] for row in reply["data"] if "hauser" not in row["matched"]["terms"]]


async def test_what_was_there_is_found_by_the_stems_of_the_new_language(api):
    body = {"key": "walk", "value": WALKS, "session_id": "s"}
    assert (await api.post("/memories", json=body)).status_code == 201
    await api.post("/memories", json={"key": "next", "value": "Ja, gestern", "session_id": "s"})
    assert "walk" not in await found(api, "Haus")

    job = await changed_to(api, "german")

    assert job["result"] == {"passages": 2}
    assert await found(api, "Haus") == ["walk", "next"]  # what was said just before counts too


async def test_vectors_stay_and_forgotten_words_go(api, org, owner_connection):
    await api.post("/memories", json={"key": "walk", "value": WALKS})

    def of_org(what):
        owner_connection.execute("SELECT set_config('holdfast.org', %s, false)", [org.id])
        return owner_connection.execute(
            f"SELECT {what} WHERE org_id = %s ORDER BY 1", [org.id]
        ).fetchall()

    before = of_org("passage_id, embedding::text FROM passage_vectors")
    assert ("durch",) in of_org("lexeme FROM recall_vocabulary")

    await changed_to(api, "german")

    assert of_org("passage_id, embedding::text FROM passage_vectors") == before != []
    words = {word for (word,) in of_org("lexeme FROM recall_vocabulary")}
    assert words == {word for (word,) in of_org("DISTINCT lexeme FROM postings")}
    assert "durch" not in words  # a stop word in German
    assert {"hund", "haus"} <= words


async def test_a_language_that_stays_is_no_work(api):
    assert (await api.patch("/org", json={"language": "english"})).status_code == 200
    assert (await api.get("/jobs")).json()["data"] == []
