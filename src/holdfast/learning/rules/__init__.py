"""The built-in extractor: a reader of English statements made of patterns, without any model."""

from holdfast.learning.rules.extract import extract

__all__ = ["extract"]
