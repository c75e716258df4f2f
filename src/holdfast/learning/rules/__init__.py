"""The built-in extractor: a reader of English statements made of patterns, and of weights over the memory model's vectors."""

from holdfast.learning.rules.extract import extract, to_weigh

__all__ = ["extract", "to_weigh"]
