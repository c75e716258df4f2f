"""Same, changed or new: the pure comparison of a candidate with what is known."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from bench.extract import InProcess, measure_pairs
from bench.memchat import DATA, Turn
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.learning.compare import compare
from holdfast.learning.model import Candidate, KnownFact, Speaker
from holdfast.learning.things import is_of_another_owner
from tests.learning.conversations import MONDAY, learned, plain

TEXTS = [pair[side] for pair in json.loads((DATA / "pairs.json").read_text()) for side in ("first", "then")]  # fmt: skip


def candidate(text: str) -> Candidate:
    return plain(learned(f"Remember that {text}"))[0]


def known(text: str, number: int = 0) -> KnownFact:
    of = candidate(text)
    return KnownFact(f"fact-{number}", of.text, of.subject, of.attribute, of.value)


@pytest.mark.parametrize(
    ("first", "then", "outcome"),
    [
        ("I live in Leipzig.", "I live in Leipzig, by the way.", "same"),
        ("I live in Leipzig.", "I moved to Grimma.", "supersede"),
        ("I like coffee.", "I don't like coffee any more.", "supersede"),
        ("I like coffee.", "I like tea.", "add"),
        ("I work at Acme.", "I no longer work at Acme.", "supersede"),
        ("I work at Acme.", "I just started a new job at Netflix.", "supersede"),
        ("I live in Leipzig.", "I no longer live in Leipzig.", "supersede"),
        ("I live in Leipzig.", "I no longer live in Grimma.", "add"),
        ("I'm 34 years old.", "I turned 35 yesterday.", "supersede"),
        ("I speak French.", "I speak German.", "add"),
        ("I prefer tea.", "I prefer coffee to tea.", "add"),
        ("my rent is 780 euros.", "my brother's rent is 900.", "add"),
        ("my brother's rent is 780 euros.", "my rent is 900.", "add"),
        ("my brother's rent is 780 euros.", "my brother's rent is 900.", "supersede"),
        ("my rent is 780 euros.", "my mom's rent is 900.", "add"),
        ("I'm Portuguese.", "I'm Brazilian.", "add"),  # one may be both
        ("I'm vegan.", "I'm vegetarian now.", "supersede"),
        ("I'm vegan.", "I'm left-handed.", "add"),
        ("I don't eat meat.", "I eat meat again.", "supersede"),
        ("my sister is called Desi.", "my sister is called Mila.", "add"),  # there may be two
        ("they take him at 20:15.", "she can take ibuprofen for her migraines now.", "add"),  # one word is no topic
        ("the rent is 700.", "the rent is 780 now.", "supersede"),  # unless neither has more
        ("my boss is Petra Lang.", "my new boss is Callum Whitelaw.", "supersede"),
        ("the code freeze starts on 17 November.", "the code freeze starts on 24 November instead.", "supersede"),
        ("Tadhg swims four mornings a week.", "Tadhg swims four mornings a week.", "same"),
        ("Tadhg swims four mornings a week.", "Tadhg swims six mornings a week now.", "supersede"),
        ("the walk-in repair cost 640 pounds.", "the wedding is on 19 June.", "add"),
        ("my item number 1 is in drawer 7.", "my item number 2 is in drawer 9.", "add"),  # another item
        ("my item number 1 is in drawer 7.", "my item number 1 is in drawer 9 now.", "supersede"),
        ("my shelf number 1 bears 30 books.", "my shelf number 2 bears 60 books.", "add"),
        ("invoice INV-1001 is 300 euros.", "invoice INV-1002 is 450 euros.", "add"),
        ("the wifi password of the cabin is bluefish42.", "the wifi password of the office is redfox17.", "add"),
        ("my flight to Rome leaves on 3 May.", "my flight to Oslo leaves on 9 June.", "add"),
        ("my flight to Rome leaves on 3 May.", "my flight to Rome leaves on 9 June.", "supersede"),
    ],
)  # fmt: skip
def test_two_statements_are_told_apart(first, then, outcome):
    result = compare(candidate(then), [known(first)])
    assert result.outcome == outcome
    assert result.fact_id == (None if outcome == "add" else "fact-0")


def test_what_an_assistant_read_out_of_memory_and_the_user_confirms_is_the_same():
    (confirmed,) = plain(learned(("assistant", "Your boat is called Calypso."), "Yes."))
    written = KnownFact("fact-0", "My boat is called Calypso and lies in Split.")
    assert compare(confirmed, [written]).outcome == "same"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I'm a vegetarian.", "I eat fish again, so not really vegetarian any more."),
        ("my password manager is LastPass.", "I left LastPass for Bitwarden."),
        ("our CTO is Wanda.", "Wanda stepped down, Igor is CTO."),
        ("I'm allergic to penicillin.", "it turns out I'm not allergic to penicillin."),
        ("I'm allergic to peanuts.", "turns out I'm not allergic to peanuts after all."),
        ("I work at Google.", "I quit my job."),
        ("I work at Google.", "I got laid off last week."),
        ("my wife is Sofia.", "we got divorced."),
        ("my girlfriend is Mia.", "Mia and I broke up."),
        ("my flight is at 9am.", "my flight got moved to 11am."),
        ("I love running.", "I gave up running."),
    ],
)
def test_a_statement_without_a_slot_replaces_the_slot_that_it_names(first, then):
    fact = known(first)
    assert fact.attribute
    new = replace(candidate(then), attribute="", value="")
    assert compare(new, [fact]).outcome == "supersede"


@pytest.mark.parametrize(
    ("then", "ended"),
    [
        ("I quit my job last week.", "I work at Google."),
        ("we broke up.", "my girlfriend is Mia."),
        ("I gave up running.", "I love running."),
        ("I was just laid off.", "I work at Google."),
        ("I broke up with Mia in May.", "my girlfriend is Mia."),
        ("my sister quit her job.", None),
        ("we broke up the function into parts, finally.", None),
        ("I fired up the server again, finally.", None),
        ("I finally quit my job script.", None),
        ("the parents of Tom got divorced.", None),
    ],
)
def test_a_slot_that_ended_is_found_among_others_without_a_common_word(then, ended):
    said = ("I work at Google.", "my girlfriend is Mia.", "I love running.", "my car is a Golf.")
    facts = [known(text, number) for number, text in enumerate(said)]
    found = compare(replace(candidate(then), attribute="", value=""), facts)
    named = next((fact.id for fact, text in zip(facts, said, strict=True) if text == ended), None)
    assert (found.outcome, found.fact_id) == ("supersede" if ended else "add", named)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("my gym is the one on Castle Street.", "the gym shoes are from Decathlon now."),  # another thing
        ("our CTO is Wanda.", "Wanda is in the Tuesday meeting now."),  # named, but not gone
        ("I'm a vegetarian.", "a new vegetarian restaurant opened."),  # nothing is denied
        ("my wife is Sofia.", "my parents got divorced."),  # others
        ("I work at Google.", "my sister quit her job."),
    ],
)  # fmt: skip
def test_a_word_of_change_beside_the_name_of_a_slot_replaces_nothing(first, then):
    new = replace(candidate(then), attribute="", value="")
    assert compare(new, [known(first)]).outcome == "add"


@pytest.mark.parametrize(
    ("first", "then", "outcome"),
    [
        ("the ceramics class is on Tuesday.", "the ceramics class is on Thursday.", "supersede"),
        ("the knee operation is in May.", "the knee operation is in April.", "supersede"),
        ("the ceramics class is on Tuesday.", "the ceramics class is on Tuesday at noon.", "same"),
        ("the knee operation is in May.", "the knee operation is in May, in Ghent.", "same"),
    ],
)
def test_another_weekday_or_month_is_another_value(first, then, outcome):
    assert compare(candidate(then), [known(first)]).outcome == outcome


def test_nothing_known_makes_everything_new():
    assert compare(candidate("I live in Leipzig."), []).outcome == "add"


def test_a_statement_does_not_replace_a_slot_it_does_not_name():
    fact = replace(
        known("the office in Leipzig closes at six."), attribute="office", value="Leipzig"
    )
    assert compare(candidate("the office in Leipzig closes at eight now."), [fact]).outcome == "add"


def test_restated_and_changed_facts_are_told_apart_as_often_as_the_floor_says():
    parts = measure_pairs()
    assert set(parts) == {"tuned on", "set aside"}
    assert all(share.value >= 0.8 for shares in parts.values() for share in shares.values())


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(TEXTS), st.lists(st.sampled_from(TEXTS), max_size=4))
def test_a_fact_is_the_same_as_itself_whatever_else_is_known(text, others):
    facts = [known(each, number) for number, each in enumerate([*others, text])]
    result = compare(candidate(text), facts)
    assert result.outcome != "add"
    assert result.fact_id is not None


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
def test_comparing_is_deterministic(text, other):
    assert compare(candidate(text), [known(other)]) == compare(candidate(text), [known(other)])


@pytest.mark.parametrize(
    ("first", "then", "outcome"),
    [
        ("my brother plays in the Ghent orchestra since 2019.", "my sister plays in the Ghent orchestra since May.", "add"),
        ("my sister lives in Turin with two cats.", "my sister's husband lives in Turin with two dogs now.", "add"),
        ("my girlfriend works nights at the Turin clinic.", "my wife works days at the Turin clinic now.", "supersede"),
        ("the rent of the Leeds flat is 780.", "the deposit of the Leeds flat is 900 now.", "supersede"),  # both of the flat
        ("the rent is 780 a month.", "the electricity is 65 a month since January.", "add"),
        ("our kids start school in Leeds in May.", "our daughter starts school in Leeds in June instead.", "supersede"),
    ],
)  # fmt: skip
def test_two_things_or_two_of_a_family_do_not_replace_each_other(first, then, outcome):
    assert compare(candidate(then), [known(first)]).outcome == outcome


def by_meaning(first: str, then: str) -> str:
    """What becomes of a plain statement two weeks after another one, by the model's vectors."""
    learner = InProcess(Speaker())
    for number, text in enumerate((first, then)):
        at = MONDAY + timedelta(weeks=2 * number)
        learner.settle([Turn(f"m{number}", "user", None, text, at)])
    return learner.applied[-1].action if len(learner.applied) > 1 else "nothing learned"


@pytest.mark.parametrize(
    ("first", "then", "action"),
    [
        ("I edit my photos in Darktable.", "Darktable is the editor for my photos.", "none"),
        ("I speak Tamil at home with my parents.", "At home with my parents we talk in Tamil.", "none"),
        ("my regular run on weekdays is 5 km", "my regular run on weekdays is 10 km", "supersede"),
    ],
)  # fmt: skip
def test_what_is_said_again_in_other_words_adds_no_row(first, then, action):
    assert by_meaning(first, then) == action


def test_what_was_said_weeks_before_a_statement_is_not_its_context():
    learner = InProcess(Speaker())
    later = MONDAY + timedelta(weeks=5)
    learner.settle([Turn("m0", "user", None, "We use Postgres for the ledger.", MONDAY)])
    learner.settle([Turn("m1", "user", None, "We moved the mail server to Hetzner in May.", later)])
    assert len(learner.current()) == len(learner.rows) == 2


@pytest.mark.parametrize(
    ("first", "then", "apart"),
    [
        ("my mother's address is 5 Oak Road.", "my mom's address is 9 Elm Road.", False),
        ("the kids' school starts at eight.", "my daughter's school starts at nine.", False),
        ("the person next door sold his house.", "my son's house is sold.", True),
    ],
)
def test_an_owner_is_known_under_another_word(first, then, apart):
    of = plain(learned(f"Remember that {then}"))[0]
    assert is_of_another_owner(of, KnownFact("fact", first, said=first)) is apart
