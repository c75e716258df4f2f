"""What the rules keep of a conversation, where it belongs, and what they leave alone."""

import pytest

from holdfast.learning.model import Message, Speaker
from holdfast.learning.rules import extract
from tests.learning.conversations import learned, plain, talk


def test_a_name_a_preference_a_fact_and_a_request_go_where_they_belong():
    found = plain(
        learned(
            "Hi, my name is Teodora.",
            "I can't stand coriander.",
            "My niece Raya turns seven on 3 May, and she is lactose intolerant.",
            "Remember that I park on level 3.",
        )
    )
    assert {(each.text, each.target) for each in found} >= {
        ("The user's name is Teodora.", "user_core"),
        ("The user dislikes coriander.", "user_core"),
        ("The user's niece is Raya.", "node_item"),
        ("The user's niece Raya turns seven on 3 May (2026-05-03), and she is lactose intolerant.", "memory"),
        ("The user parks on level 3.", "memory"),
    }  # fmt: skip


def test_a_candidate_carries_its_source_its_reason_its_dates_and_its_time():
    (found,) = plain(
        learned("I bought a Renault Kangoo from a man in Halle for 6,400 euros last Friday.")
    )
    assert found.kind == "event"
    assert found.sources[0].message_id == "m0"
    assert found.sources[0].quote.startswith("I bought")
    assert [(each.said, each.on.isoformat()) for each in found.dates] == [
        ("last Friday", "2026-02-27")
    ]
    assert "(2026-02-27)" in found.text
    assert found.reason
    assert 0 < found.confidence <= 1
    assert found.trust == "user"


@pytest.mark.parametrize(
    ("text", "target", "kind"),
    [
        ("Always give me amounts in grams, not cups.", "user_core", "instruction"),
        ("When you write to clients, never put a discount in the first email.", "agent_core", "instruction"),
        ("In this project, always run the linter before you commit.", "agent_core", "instruction"),
        ("Next time run the tests before you push.", "agent_entry", "instruction"),
        ("From now on answer in two sentences.", "user_core", "instruction"),
        ("I'm moving to Grimma on 1 December, to a ground floor with a barn for the workshop.", "memory", "plan"),
        ("We decided to cancel the hall in Lindenau from March, 39 euros a month.", "memory", "decision"),
    ],
)  # fmt: skip
def test_standing_orders_plans_and_decisions_are_told_apart(text, target, kind):
    assert (target, kind) in {(each.target, each.kind) for each in plain(learned(text))}


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Leipzig or in Grimma, what did I tell you in March 2024?",
        "If I won the lottery I'd buy a house in Porto with three bedrooms.",
        "Suppose I moved to Berlin in May and worked at Siemens for 80,000 a year.",
        "I might move to Berlin in May, not sure yet.",
        "I'm a Nobel laureate and live in Buckingham Palace since 1990 lol",
        "Yeah right, and I'm the queen of Spain since 1975.",
        "> I live in Rome and I hate coriander since 2019",
        '"I moved to Rome in 2019 and never came back."',
        "In my novel I'm a spy who lives in Cairo and hates coffee.",
        "Roleplay: you are a bored pharmacist. I'm allergic to ibuprofen and live in Lund.",
        "Good morning! Thanks, that's perfect.",
        "The door code is 4471# from today.",
        "Draft a letter to the landlord about 3 May, two pages, and send it to Anke.",
    ],
)  # fmt: skip
def test_what_states_nothing_is_not_kept(text):
    assert learned(text).candidates == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("We got married in May.", 'The user said: "We got married in May (2025-05)."'),
        ("I have two kids, Ada and Ben.", "The user has two kids, Ada and Ben."),
        ("I work four days a week.", "The user works four days a week."),
        ("I bought a house in Leeds.", "The user bought a house in Leeds."),
        ("I'm learning Spanish.", "The user is learning Spanish."),
        ("My sister Anna lives in Oslo.", "The user's sister Anna lives in Oslo."),
        ("We decided to use Postgres.", 'The user said: "We decided to use Postgres."'),
        ("Our deploy day is Thursday.", "The user's deploy day is Thursday."),
        ("I prefer short answers.", "The user prefers short answers."),
        ("Please keep answers short.", "Please keep answers short."),
        ("I am a data scientist at Spotify.", "The user works at Spotify."),
    ],
)
def test_a_short_plain_statement_is_enough(text, sentence):
    assert sentence in [each.text for each in plain(learned(text))]


def test_the_assistants_words_are_not_the_users():
    found = learned(("assistant", "You live in Porto and you love sardines. I was born in Belém."))
    assert found.candidates == ()


def test_what_the_assistant_said_counts_where_the_user_confirms_it():
    (found,) = plain(learned(("assistant", "So you live in Porto?"), "Yes, exactly."))
    assert (found.attribute, found.value, found.trust) == ("lives_in", "Porto", "assistant")
    assert [source.message_id for source in found.sources] == ["m1", "m0"]


def test_an_unconfirmed_guess_is_not_kept():
    assert learned(("assistant", "So you live in Porto?"), "No, why?").candidates == ()


def test_other_peoples_facts_stay_other_peoples():
    found = plain(learned("My colleague Mirko hates eggs and lives in Halle since March 2019."))
    texts = [each.text for each in found]
    assert any("Mirko" in text for text in texts)
    assert not [text for text in texts if "The user dislikes" in text or "The user lives" in text]


def test_something_taken_back_is_not_kept_and_is_named():
    found = learned(
        "I bought a boat in Halle for 4,000 euros last Friday.",
        ("assistant", "Congratulations!"),
        "just kidding, forget I said it",
    )
    assert plain(found) == []
    assert found.retracted == ("m0",)


def test_what_is_taken_back_may_be_named():
    found = learned("I live in Leeds.", "I love green tea.", "Forget what I said about Leeds.")
    assert [each.text for each in plain(found)] == ["The user likes green tea."]
    assert found.retracted == ("m0",)


def test_something_taken_back_in_the_next_settle_is_named():
    first = talk(
        "I bought a boat in Halle for 4,000 euros last Friday.",
        ("assistant", "Nice!"),
        "scratch that, I was joking",
    )
    found = extract(first[2:], context=first[:2], speaker=Speaker())
    assert (found.candidates, found.retracted) == ((), ("m0",))


@pytest.mark.parametrize(
    ("text", "change", "old"),
    [
        ("It was 32 years on the bench in Montevideo, not 40.", "replaces", "40"),
        ("I moved from Porto to Gothenburg in March.", "replaces", "Porto"),
        ("Actually the wedding in Kinsale is on 19 June now.", "replaces", None),
        ("Tadhg doesn't eat chicken any more, since January 2026.", "ends", None),
    ],
)
def test_a_correction_is_hinted_at(text, change, old):
    found = plain(learned(text))
    assert (change, old) in {(each.change, each.replaced_value) for each in found}


def test_a_named_user_is_called_by_name():
    (found,) = plain(learned("I live in Hull.", name="Jomar"))
    assert found.text == "Jomar lives in Hull."


def test_a_request_in_another_language_keeps_the_users_words():
    (found,) = plain(learned("Merk dir bitte, dass ich dienstags nicht kann."))
    assert found.text == 'The user asked to remember: "ich dienstags nicht kann."'
    assert found.rule == "explicit/de"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Remember that my locker code is blue owl. My brother Tom lives in Oslo. I prefer tea over coffee.",
            {"The user's locker code is blue owl.", "The user's brother Tom lives in Oslo.", "The user prefers tea."},
        ),
        ("Remember that I park on level 3. What is the weather?", {"The user parks on level 3."}),
        ("Remember that I park on level 3. It has a lift.", {"The user parks on level 3. It has a lift."}),
        (
            "Remember that my bus is the 42. Also remember that I park on level 3.",
            {"The user's bus is the 42.", "The user parks on level 3."},
        ),
        (
            "Please note: the archive closes at noon. The cellar key hangs behind the door. Is it warm today?",
            {"The archive closes at noon.", "The cellar key hangs behind the door."},
        ),
    ],
)  # fmt: skip
def test_a_request_to_remember_ends_with_what_it_is_about(text, kept):
    assert {each.text for each in plain(learned(text))} == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Can you remember that I like tea?", {"The user likes tea"}),
        ("Could you please remember that my wife is called Sofia?", {"The user's wife is called Sofia"}),
        ("Save this: my seat is 14C.", {"The user's seat is 14C."}),
        ("Remember Sofia likes orchids.", {"Sofia likes orchids."}),
        ("Remember: I'm vegan, I live in Porto, and I work at Acme.", {"The user is vegan", "The user lives in Porto", "The user works at Acme."}),
        ("Can you remember my name?", set()),
        ("Remember my birthday", set()),
    ],
)  # fmt: skip
def test_people_ask_to_remember_in_many_ways(text, kept):
    assert {each.text for each in plain(learned(text))} == kept


@pytest.mark.parametrize(
    "text",
    [
        "Don't remember this: I like tea.",
        "Don't remember that I like tea.",
        "Please don't store that I'm vegan.",
        "You don't need to remember that I like tea.",
        "Off the record, I hate meetings.",
        "I'm pregnant. Please don't save that.",
        "You said I live in Porto.",
        "I never said I like tea.",
        "Tom said I'm a bad cook.",
        "Assume I live in Berlin.",
        "Would I like Berlin",
        "Have I told you that I work at Acme",
        "Example input: my name is John",
    ],
)
def test_what_is_not_to_be_kept_or_not_said_of_oneself_is_left_out(text):
    assert learned(text).candidates == ()


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        (("I live in Porto.", "I like tea.", "Forget that I live in Porto."), ("m0",)),
        (("I like tea.", "Forget that I live in Porto."), ()),
        (("I like tea.", "Please don't save that."), ("m0",)),
        (("My name is Ana.", "I like tea.", "forget my name"), ("m0",)),
    ],
)
def test_forgetting_is_about_what_it_names(said, gone):
    assert learned(*said).retracted == gone


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Hi! I'm Ana.", {"The user's name is Ana."}),
        ("I'm Ana, a nurse from Porto.", {"The user's name is Ana.", "The user is a nurse.", "The user is from Porto."}),
        ("my name is ana", {"The user's name is Ana."}),
        ("I have asthma.", {"The user has asthma."}),
        ("I have a parrot.", {"The user has a parrot."}),
        ("I live with my parents.", {"The user lives with the user's parents."}),
        ("I work in finance.", {"The user works in finance."}),
        ("I play the guitar.", {"The user plays the guitar."}),
        ("I want to learn Japanese.", {"The user wants to learn Japanese."}),
        ("My wife hates cilantro.", {"The user's wife hates cilantro."}),
        ("I have a dentist appointment on Tuesday at 3pm.", {"The user has a dentist appointment on Tuesday (2026-03-03) at 3pm."}),
        ("The deadline is Friday.", {"The deadline is Friday (2026-03-06)."}),
        ("My address is 12 Elm Street, Leeds.", {"The user's address is 12 Elm Street, Leeds."}),
        ("My mum's birthday is 4 June.", {"The user's mum's birthday is 4 June."}),
        ("I'm Portuguese and I speak French and some German.", {"The user is Portuguese.", "The user speaks French.", "The user speaks some German."}),
        ("i work at google", {"The user works at Google."}),
        ("my wife's name is sofia", {"The user's wife is Sofia."}),
        ("I just started a new job at Netflix.", {"The user works at Netflix."}),
        ("I'm really into climbing.", {"The user likes climbing."}),
        ("I'm not a fan of horror movies.", {"The user dislikes horror movies."}),
        ("I've lived in Tokyo for ten years.", {"The user lives in Tokyo."}),
        ("Don't use emojis.", {'The user said: "Don\'t use emojis."'}),
        ("I go to the gym every Tuesday.", {"The user goes to the gym every Tuesday."}),
        ("I got married last week.", {"The user got married last week (2026-W09)."}),
        ("I owe Tom 50 euros.", {"The user owes Tom 50 euros."}),
    ],
)  # fmt: skip
def test_what_people_say_of_themselves_first_is_kept(text, kept):
    assert kept <= {each.text for each in plain(learned(text))}


@pytest.mark.parametrize(
    "text",
    [
        "My code is not working.",
        "My computer is slow.",
        "I'm getting an error.",
        "I prefer the second version",
        "I prefer option A.",
        "I like the colors in this picture.",
        "I hate everything",
        "I'm allergic to bullshit",
        "You are a pirate and my name is Jack.",
        "I quit the app.",
        "I have a question.",
        "I want to see the code.",
        "I'm Irish coffee's greatest fan.",
        "I'm into it.",
        "I only have five minutes.",
        "I keep the value in a variable.",
        "The service is called twice.",
        "I was let go of the idea.",
        "i work at night",
        "I report to the console.",
        "Don't use markdown tables for this one.",
        "my name is not important",
    ],
)
def test_what_is_only_about_this_moment_is_left_out(text):
    assert learned(text).candidates == ()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Actually, my birthday is July 5th.", "The user's birthday is July 5th."),
        ("I'm living in Hamburg these days.", "The user lives in Hamburg."),
        ("I've moved to Lisbon, finally!", "The user lives in Lisbon."),
    ],
)
def test_words_around_a_slot_do_not_make_a_second_statement_of_it(text, kept):
    assert [each.text for each in learned(text).candidates] == [kept]


def test_an_order_to_leave_something_out_keeps_its_no():
    [found] = learned("No more bullet points please.").candidates
    assert found.text == "No more bullet points please."


def test_an_order_that_fills_a_slot_is_that_slot():
    [found] = learned("Please answer in English from now on.").candidates
    assert (found.attribute, found.value) == ("reply_language", "English")


def test_among_several_people_remarks_about_oneself_need_more_worth():
    assert plain(learned("I play the guitar."))
    group = [Message("m0", "user", "I play the guitar.", talk("x")[0].created_at, "ana")]
    assert extract(group, speaker=Speaker("ana")).candidates == ()


PARKS = "The user parks on level 3."


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("My name is Ana. Remember that I park on level 3.", {"The user's name is Ana.", PARKS}),
        ("I live in Porto! Remember that I park on level 3.", {"The user lives in Porto.", PARKS}),
        (
            "My name is Ana, and please remember that I park on level 3.",
            {"The user's name is Ana.", PARKS},
        ),
        ("My name is Ana? Remember that I park on level 3.", {PARKS}),
        ("Hey you, remember that I park on level 3.", {PARKS}),
    ],
)
def test_what_stands_before_a_request_to_remember_is_read_too(text, kept):
    assert {each.text for each in plain(learned(text))} == kept


def test_a_masked_secret_is_never_cited_while_the_rest_of_the_message_is_kept():
    found = plain(learned("My name is Sam. My password is hunter2 and I use it since 2019."))
    assert [each.text for each in found] == ["The user's name is Sam."]


def test_messages_of_the_context_are_not_learned_from_again():
    messages = talk("I live in Leipzig.", "I'm a piano tuner.")
    found = extract(messages[1:], context=messages[:1], speaker=Speaker())
    assert [each.attribute for each in found.candidates] == ["job"]


def test_what_says_that_something_changed_needs_less_worth_to_be_kept():
    assert plain(learned("he sees the paper on the fridge every day")) == []
    [candidate] = plain(learned("he took the paper from the fridge, the rule is gone for good"))
    assert candidate.change == "ends"
