"""Which extractor a deployment has."""

from holdfast.kernel.embed import Embedders
from holdfast.kernel.ledger import MeteredLlm
from holdfast.learning.extractor import Extractor, RulesExtractor
from holdfast.learning.llm import LlmExtractor


def open_extractor(llm: MeteredLlm | None, embedders: Embedders) -> Extractor:
    """The language model of the settings, else the rules."""
    return RulesExtractor(embedders) if llm is None else LlmExtractor(llm)
