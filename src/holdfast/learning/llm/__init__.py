"""The `llm` extractor: a language model reads the messages, its answer is validated, every quote is looked up in the messages."""

from holdfast.learning.llm.extractor import LlmExtractor

__all__ = ["LlmExtractor"]
