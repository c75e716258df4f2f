"""Trains the low-rank change that the builder merges into the published model: `python -m train`.

Conversations with questions and their evidence go in; `memory-delta.safetensors`, in the format
that `holdfast_minilm.builder.delta` reads, and a report come out. README.md says how to run it.
"""
