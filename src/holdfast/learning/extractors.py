"""Which extractor a deployment has."""

from holdfast.kernel.ledger import MeteredLlm
from holdfast.learning.extractor import Extractor, RulesExtractor
from holdfast.learning.judge import Judge
from holdfast.learning.llm import LlmExtractor


def open_extractor(llm: MeteredLlm | None, judge: Judge) -> Extractor:
    """The language model of the settings, else the rules."""
    return RulesExtractor(judge) if llm is None else LlmExtractor(llm)
