"""The low-rank changes that make the published model read conversations and compare statements.

DELTA.md says what they are.

Every linear layer of the encoder gets `weight + 2 · lora_b @ lora_a`. `projection` turns the last
hidden state of a token into its vector for close reading; `kinds` and `heads` are the judge's.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import safetensors.numpy

from holdfast_minilm.builder.graph import Heads
from holdfast_minilm.builder.source import Weights

FILE = Path(__file__).with_name("memory-delta.safetensors")
JUDGE_FILE = Path(__file__).with_name("judge-delta.safetensors")
SCALE = np.float32(2)

Floats = npt.NDArray[np.float32]


def read(file: Path = FILE) -> Weights:
    """A change as it was exported, in full precision."""
    loaded = safetensors.numpy.load(file.read_bytes())
    return {name: value.astype(np.float32) for name, value in loaded.items()}


def merge(weights: Weights, delta: Weights) -> Weights:
    """The published weights with the change in them."""
    layers = [name.removesuffix(".lora_a") for name in delta if name.endswith(".lora_a")]
    merged = dict(weights)
    for layer in layers:
        change = delta[f"{layer}.lora_b"] @ delta[f"{layer}.lora_a"]
        merged[f"{layer}.weight"] = weights[f"{layer}.weight"] + SCALE * change
    return merged


def projection(delta: Weights) -> Floats:
    """384 → 64, for the vectors of tokens."""
    return delta["projection"]


def heads(delta: Weights) -> Heads:
    """What the judge adds to the encoder: heads for outcomes, and for what to keep."""
    weight, bias = (
        np.concatenate([delta[f"heads.{part}"], delta[f"keep.{part}"]])
        for part in ("weight", "bias")
    )
    return Heads(delta["kinds"], weight, bias)
