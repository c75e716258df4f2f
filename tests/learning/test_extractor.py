"""The plug for extractors, with the built-in one in it."""

from datetime import UTC, datetime

from holdfast.kernel.caller import operator
from holdfast.learning.extractor import Extractor, RulesExtractor
from holdfast.learning.model import Message, Speaker


async def test_the_built_in_extractor_answers_through_the_protocol() -> None:
    extractor: Extractor = RulesExtractor()
    said = Message("m1", "user", "My name is Teodora.", datetime(2026, 3, 2, tzinfo=UTC))

    found = await extractor.extract(operator("org"), [said], speaker=Speaker())

    assert extractor.name == "rules"
    assert found.tokens == 0
    assert [each.value for each in found.extraction.candidates] == ["Teodora"]
