"""jobs and erase from the command line, and the exit codes that scripts read. Run in this process, against the service."""

import io
import json
import sys

import pytest

from holdfast.cli import main
from holdfast.cli.exits import FAILED, NOT_FOUND, REFUSED, UNREACHABLE, CommandError, exit_code_of
from holdfast.conversations.backends import Backends
from holdfast.erasure import service as erasure
from holdfast.erasure.service import Erasing
from holdfast.kernel import jobs
from holdfast.memories.assets.objects import ObjectStore
from holdfast_client import errors

# A queue that no worker looks at: what is asked for here stays as it is.
QUEUE = "nobody works on this"


@pytest.fixture
def holdfast(monkeypatch, capsys, org, tmp_path):
    """Runs `holdfast …` against the service: (exit code, what it printed, what it complained of)."""

    def run(*words, stdin=""):
        named = {"HOLDFAST_URL": org.url, "HOLDFAST_API_KEY": org.key}
        with monkeypatch.context() as patch:
            for name, value in {"HOLDFAST_DATA_DIR": str(tmp_path), **named}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["holdfast", *words])
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            with pytest.raises(SystemExit) as left:
                main()
        said = capsys.readouterr()
        return left.value.code or 0, said.out, said.err

    return run


@pytest.fixture
def printed(holdfast):
    """Runs a command that must succeed; what it printed, as JSON."""

    def run(*words):
        code, out, err = holdfast(*words, "--json")
        assert code == 0, err
        return json.loads(out)

    return run


@pytest.fixture
def queued(db, org):
    """Makes a job that stays as it is; its id."""

    async def make(user="owner"):
        async with db.begin(org.caller(user)) as tx:
            return await jobs.enqueue(tx, "greet", "somebody", queue=QUEUE)

    return make


async def test_jobs_are_listed_by_status_and_no_more_than_asked_for(printed, queued):
    made = [await queued() for _ in range(3)]
    listed = printed("jobs", "list")
    assert [each["id"] for each in listed] == made[::-1]
    assert {each["status"] for each in listed} == {"queued"}
    assert [each["id"] for each in printed("jobs", "list", "--limit", "2")] == made[:0:-1]
    printed("jobs", "cancel", made[0])
    assert [each["id"] for each in printed("jobs", "list", "--status", "cancelled")] == [made[0]]
    assert printed("jobs", "list", "--status", "failed") == []


async def test_a_job_is_shown_cancelled_and_tried_again(holdfast, printed, queued):
    job = await queued()
    shown = printed("jobs", "show", job)
    assert (shown["id"], shown["kind"], shown["attempts"]) == (job, "greet", 0)
    assert printed("jobs", "cancel", job)["status"] == "cancelled"
    code, out, err = holdfast("jobs", "cancel", job)
    assert (code, out) == (REFUSED, "")
    assert err.startswith("holdfast: ")
    assert "only a queued job" in err
    assert printed("jobs", "retry", job)["status"] == "queued"


async def test_a_job_of_another_user_is_not_found(holdfast, printed, queued):
    job = await queued("ana")
    assert [each["id"] for each in printed("jobs", "list", "--user", "ana")] == [job]
    assert printed("jobs", "list", "--user", "ben") == []
    for command in ("show", "cancel", "retry", "revert"):
        code, out, err = holdfast("jobs", command, job, "--user", "ben")
        assert (code, out) == (NOT_FOUND, ""), command
        assert err.count("\n") == 1
    assert printed("jobs", "show", job, "--user", "ana")["status"] == "queued"


async def test_nobody_is_erased_before_it_was_confirmed(holdfast, org):
    ana = org.client(Holdfast_User="ana")
    saved = (await ana.post("/memories", json={"key": "tea", "value": "green"})).json()
    for answer in ("y\n", ""):  # a pipe confirms nothing
        code, out, err = holdfast("erase", "--user", "ana", "--url", org.url, stdin=answer)
        assert (code, out, err.count("\n")) == (FAILED, "", 1)
        assert "--yes" in err
    assert (await ana.get(f"/memories/{saved['id']}")).json()["value"] == "green"
    assert (await org.client().get("/erasures")).json()["data"] == []


async def test_a_receipt_that_does_not_hold_is_seen_by_the_exit_code(
    holdfast, db, org, service, tmp_path
):
    """Here of an erasure whose files were not rewritten yet. tests/erasure/test_files.py erases and checks to the end."""
    await org.client(Holdfast_User="ana").post("/memories", json={"key": "tea", "value": "green"})
    erasing = Erasing(Backends(db=db, redis=None), ObjectStore(f"{service.data_dir}/assets"), str)
    receipt = await erasure.erase(erasing, org.operator, "ana")
    code, out, _ = holdfast("erase", "--verify", receipt.id, "--url", org.url, "--json")
    verdict = json.loads(out)
    assert (code, verdict["ok"], verdict["complete"]) == (FAILED, False, False)
    assert verdict["left"] == {}
    kept = tmp_path / "receipt.json"
    kept.write_text(json.dumps({"id": receipt.id}))
    code, out, _ = holdfast("erase", "--verify", str(kept), "--url", org.url, "--json")
    assert (code, json.loads(out)) == (FAILED, verdict)
    kept.write_text("[]")
    code, out, err = holdfast("erase", "--verify", str(kept), "--url", org.url)
    assert (code, out) == (FAILED, "")
    assert "holds no receipt" in err
    code, out, _ = holdfast("erase", "--verify", f"rcpt_{'0' * 32}", "--url", org.url)
    assert (code, out) == (NOT_FOUND, "")


@pytest.mark.parametrize("words", [[], ["--user", "ana", "--verify", "rcpt_1"]])
def test_either_a_person_or_a_receipt_is_named(holdfast, words):
    code, out, err = holdfast("erase", *words, "--yes")
    assert (code, out) == (FAILED, "")
    assert "--user" in err
    assert "--verify" in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.NotFound("gone"), NOT_FOUND),
        (errors.AgentNotFound("no such agent"), NOT_FOUND),
        (errors.ConnectionFailed("no answer"), UNREACHABLE),
        (errors.UnexpectedReply("a proxy"), UNREACHABLE),
        (errors.BackendUnavailable("no database"), UNREACHABLE),
        (errors.Invalid("too long"), FAILED),
        (errors.Conflict("changed"), REFUSED),
        (errors.ScopeDenied("not yours"), REFUSED),
        (errors.Unauthenticated("no key"), REFUSED),
        (errors.HoldfastError("newer", code="teapot"), REFUSED),
        (CommandError("type it otherwise"), FAILED),
        (ZeroDivisionError(), None),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_a_script_can_tell_apart_has_an_exit_code_of_its_own(error, code):
    """An error that nobody foresaw has none: it is shown with its traceback."""
    assert exit_code_of(error) == code
