"""all-MiniLM-L6-v2 in torch, with a low-rank change of every linear layer, and what is trained
beside it.

The published weights stay as they are. Written as functions of named weights, with the names of the
builder, so that what is exported is what the builder merges.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.torch
import torch
from torch.nn import functional

from holdfast_minilm.builder.delta import SCALE
from holdfast_minilm.builder.graph import EPSILON, HEADS, HIDDEN, LAYERS, PROJECTED
from holdfast_minilm.builder.source import Weights
from holdfast_minilm.embedder import Encoded, MiniLM, open_tokenizer

Tensor = Any  # torch is optional where types are checked

START_SCALE = 20.0
"""What similarities are multiplied by before a softmax, at the start; it is trained too."""
TEXTS_PER_RUN, TEXTS_PER_PASS = 512, 128


@dataclass(frozen=True)
class Read:
    """The token ids of a text after its context, and where its own tokens begin."""

    ids: list[int]
    own: int


@dataclass(frozen=True)
class Output:
    """What a pass gives: unit vectors of texts and tokens, and which tokens are the text's own."""

    vectors: Tensor
    tokens: Tensor
    own: Tensor


class Reader:
    """Splits texts into tokens as the embedder does, with limits of its own."""

    def __init__(self, tokenizer: bytes) -> None:
        self._tokenizer = open_tokenizer(tokenizer)
        self._start, self._end = self._tokenizer.encode("").ids

    def read(self, text: str, before: str, most: int, most_before: int) -> Read:
        """At most so many tokens of the text, after the last ones of what was said before."""
        context = self._tokens(before)[-most_before:] if before else []
        own = self._tokens(text)[:most]
        return Read([self._start, *context, *own, self._end], 1 + len(context))

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids


class LowRank:
    """The model with a low-rank change, on one device."""

    def __init__(self, weights: Weights, *, rank: int, seed: int, device: str) -> None:
        self.device = device
        self.dropout = 0.0
        """Of what goes into a change."""
        self.dropout_of_layers = 0.0
        self.change: dict[str, Tensor] = {}
        self._fixed = {name: torch.tensor(value).to(device) for name, value in weights.items()}
        self._chance = torch.Generator().manual_seed(seed)
        change: dict[str, Tensor] = {}
        for layer in linear_layers(weights):
            wide, narrow = weights[f"{layer}.weight"].shape
            bound = 1 / math.sqrt(narrow)
            drawn = torch.rand((rank, narrow), generator=self._chance)
            change[f"{layer}.lora_a"] = (2 * drawn - 1) * bound
            change[f"{layer}.lora_b"] = torch.zeros((wide, rank))
        self.add(change)

    def add(self, trained: Mapping[str, Tensor]) -> None:
        """Train these too."""
        for name, value in trained.items():
            self.change[name] = value.to(self.device).requires_grad_(True)

    def save(self, delta: Path) -> None:
        """Write the change in half precision, as the builder reads it."""
        exported = {
            name: value.detach().to("cpu", torch.float16).contiguous()
            for name, value in sorted(self.change.items())
        }
        safetensors.torch.save_file(exported, delta)

    def hidden(self, ids: Tensor, there: Tensor, kinds: Tensor | None = None) -> Tensor:
        """The last hidden state of each token; `kinds` are vectors of the texts they are of."""
        fixed = self._fixed
        hidden = (
            fixed["embeddings.word_embeddings.weight"][ids]
            + fixed["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + (fixed["embeddings.token_type_embeddings.weight"][0] if kinds is None else kinds)
        )
        hidden = self._dropped(self._normal("embeddings.LayerNorm", hidden))
        for number in range(LAYERS):
            at = f"encoder.layer.{number}."
            back = self._linear(f"{at}attention.output.dense", self._attention(at, hidden, there))
            hidden = self._normal(f"{at}attention.output.LayerNorm", hidden + self._dropped(back))
            wide = functional.gelu(self._linear(f"{at}intermediate.dense", hidden))
            back = self._linear(f"{at}output.dense", wide)
            hidden = self._normal(f"{at}output.LayerNorm", hidden + self._dropped(back))
        return hidden

    def _dropped(self, value: Tensor) -> Tensor:
        return (
            functional.dropout(value, self.dropout_of_layers) if self.dropout_of_layers else value
        )

    def _attention(self, at: str, hidden: Tensor, there: Tensor) -> Tensor:
        texts, length, _ = hidden.shape
        query, key, value = (
            self._linear(f"{at}attention.self.{part}", hidden)
            .view(texts, length, HEADS, HIDDEN // HEADS)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        attended = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=there[:, None, None, :]
        )
        return attended.transpose(1, 2).reshape(texts, length, HIDDEN)

    def _linear(self, layer: str, value: Tensor) -> Tensor:
        plain = functional.linear(
            value, self._fixed[f"{layer}.weight"], self._fixed[f"{layer}.bias"]
        )
        if self.dropout:
            value = functional.dropout(value, self.dropout)
        narrow = functional.linear(value, self.change[f"{layer}.lora_a"])
        return plain + float(SCALE) * functional.linear(narrow, self.change[f"{layer}.lora_b"])

    def _normal(self, layer: str, value: Tensor) -> Tensor:
        return functional.layer_norm(
            value.float(),
            (HIDDEN,),
            self._fixed[f"{layer}.weight"],
            self._fixed[f"{layer}.bias"],
            EPSILON,
        )


class Encoder(LowRank):
    """The memory model: vectors of texts and of their tokens."""

    def __init__(
        self, weights: Weights, tokenizer: bytes, *, rank: int, seed: int, device: str
    ) -> None:
        super().__init__(weights, rank=rank, seed=seed, device=device)
        self.reader = Reader(tokenizer)
        drawn = torch.randn((HIDDEN, PROJECTED), generator=self._chance)
        added = {"projection": torch.linalg.qr(drawn)[0].T.contiguous()}
        for name in ("temperature", "pooled_temperature"):
            added[name] = torch.full((1,), math.log(START_SCALE))
        self.add(added)

    def load(self, delta: Path) -> "Encoder":
        """Take the change from a file in place of the random one."""
        for name, value in safetensors.torch.load_file(delta).items():
            self.change[name] = value.float().to(self.device).requires_grad_(True)
        return self

    def run(self, read: Sequence[Read]) -> Output:
        """Read texts of any lengths; `tokens` is padded to the longest.

        Texts of similar length go through the model together: most are far shorter than the
        longest.
        """
        order = sorted(range(len(read)), key=lambda place: len(read[place].ids))
        longest = len(read[order[-1]].ids)
        parts = [
            self._pass([read[place] for place in order[first : first + TEXTS_PER_PASS]])
            for first in range(0, len(order), TEXTS_PER_PASS)
        ]
        back = torch.tensor(order).argsort().to(self.device)

        def joined(each: list[Tensor]) -> Tensor:
            short = [(0, 0) * (part.dim() - 2) + (0, longest - part.shape[1]) for part in each]
            padded = [functional.pad(part, pad) for part, pad in zip(each, short, strict=True)]
            return torch.cat(padded)[back]

        return Output(
            torch.cat([part.vectors for part in parts])[back],
            joined([part.tokens for part in parts]),
            joined([part.own for part in parts]),
        )

    def _pass(self, read: Sequence[Read]) -> Output:
        longest = max(len(each.ids) for each in read)
        ids = torch.tensor([each.ids + [0] * (longest - len(each.ids)) for each in read])
        lengths = torch.tensor([len(each.ids) for each in read])[:, None]
        starts = torch.tensor([each.own for each in read])[:, None]
        places = torch.arange(longest)[None]
        there = (places < lengths).to(self.device)
        own = ((places >= starts) & (places < lengths - 1)).to(self.device)
        hidden = self.hidden(ids.to(self.device), there)
        summed = (hidden * there[..., None]).sum(1)
        tokens = functional.linear(hidden, self.change["projection"])
        return Output(
            functional.normalize(summed.float(), dim=-1),
            functional.normalize(tokens.float(), dim=-1),
            own,
        )

    def encode(self, texts: Sequence[str], before: Sequence[str] = ()) -> Encoded:
        """As `MiniLM.encode`, in full precision and without gradients."""
        read = [
            self._whole(text, before[place] if place < len(before) else "")
            for place, text in enumerate(texts)
        ]
        order = sorted(range(len(read)), key=lambda place: len(read[place].ids))
        vectors = np.empty((len(read), HIDDEN), dtype=np.float32)
        tokens = [np.empty((0, PROJECTED), np.float32)] * len(read)
        with torch.no_grad():
            for first in range(0, len(order), TEXTS_PER_RUN):
                places = order[first : first + TEXTS_PER_RUN]
                out = self.run([read[place] for place in places])
                vectors[places] = out.vectors.cpu().numpy()
                of_run, own = out.tokens.cpu().numpy(), out.own.cpu().numpy()
                for row, place in enumerate(places):
                    tokens[place] = of_run[row][own[row]]
        return Encoded(vectors, tokens)

    def _whole(self, text: str, before: str) -> Read:
        read = self.reader.read(text, before, MiniLM.max_tokens, MiniLM.max_tokens_before)
        if len(read.ids) <= MiniLM.max_tokens:
            return read
        return Read([*read.ids[: MiniLM.max_tokens - 1], read.ids[-1]], read.own)


def linear_layers(weights: Weights) -> list[str]:
    """The linear layers of the encoder, without the pooler: what the change applies to."""
    return sorted(
        name.removesuffix(".weight")
        for name in weights
        if name.startswith("encoder.") and name.endswith(".weight") and "LayerNorm" not in name
    )
