"""The encoder with a low-rank change, marks for kinds of texts, and heads, in torch."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch.nn import functional

from holdfast_minilm.builder.graph import HIDDEN
from holdfast_minilm.builder.source import Weights
from holdfast_minilm.judge import OUTCOMES
from train.model import LowRank, Tensor


class Row(NamedTuple):
    """Texts as the judge reads them."""

    ids: list[int]
    kinds: list[int]


class JudgeModel(LowRank):
    """Trained: the change, the marks, a head for what a statement does to an earlier one, and one
    (`keep`) for whether it is worth keeping.
    """

    def __init__(self, weights: Weights, *, rank: int, seed: int, device: str) -> None:
        super().__init__(weights, rank=rank, seed=seed, device=device)
        chance = torch.Generator().manual_seed(seed + 1)
        types = torch.tensor(weights["embeddings.token_type_embeddings.weight"])
        added = {
            "kinds": torch.stack([types[0], types[1], types[0]]),
            "heads.weight": 0.02 * torch.randn((OUTCOMES, HIDDEN), generator=chance),
            "heads.bias": torch.zeros(OUTCOMES),
            "keep.weight": 0.02 * torch.randn((1, HIDDEN), generator=chance),
            "keep.bias": torch.zeros(1),
        }
        self.add(added)

    def run(self, rows: Sequence[Row]) -> tuple[Tensor, Tensor]:
        """The scores of the outcomes for each row, and of being worth keeping."""
        longest = max(len(each.ids) for each in rows)
        ids = torch.tensor([each.ids + [0] * (longest - len(each.ids)) for each in rows])
        kinds = torch.tensor([each.kinds + [0] * (longest - len(each.kinds)) for each in rows])
        lengths = torch.tensor([len(each.ids) for each in rows])[:, None]
        there = (torch.arange(longest)[None] < lengths).to(self.device)
        hidden = self.hidden(
            ids.to(self.device), there, self.change["kinds"][kinds.to(self.device)]
        )
        pooled = (hidden * there[..., None]).sum(1) / there.sum(1, keepdim=True)
        outcomes = functional.linear(pooled, self.change["heads.weight"], self.change["heads.bias"])
        keep = functional.linear(pooled, self.change["keep.weight"], self.change["keep.bias"])
        return outcomes.float(), keep.float()[:, 0]
