"""What a step reduces: wrong turns that score above the right one, by tokens and as wholes."""

from typing import Any

import torch
from torch.nn import functional

from train.model import Output

Tensor = Any

LEAST = -1e4
"""In place of a score that must not count."""


def close_scores(query: Output, turns: Output, per_query: int, *, signs: bool) -> Tensor:
    """How close each turn is to its query: the mean over query tokens of the best turn token.

    With `signs` the vectors are replaced by their signs, as the service stores them; gradients pass
    as if they were not.
    """
    asked, said = query.tokens, turns.tokens
    if signs:
        asked, said = _as_signs(asked), _as_signs(said)
    said = said.view(-1, per_query, *said.shape[1:])
    own = turns.own.view(-1, per_query, turns.own.shape[1])
    alike = torch.einsum("qid,qnjd->qnij", asked, said)
    best = alike.masked_fill(~own[:, :, None, :], LEAST).amax(-1)
    counted = query.own[:, None, :]
    return (best * counted).sum(-1) / counted.sum(-1).clamp(min=1)


def token_loss(scores: Tensor, temperature: Tensor) -> Tensor:
    """Listwise cross-entropy: the first turn of each row is the right one."""
    target = torch.zeros(len(scores), dtype=torch.long, device=scores.device)
    return functional.cross_entropy(scores * temperature.exp(), target)


def pooled_loss(
    query: Output, turns: Output, per_query: int, ignored: Tensor, temperature: Tensor
) -> Tensor:
    """Contrastive cross-entropy over the turns of all queries of the step.

    `ignored` marks, for each query, turns that are right for it too.
    """
    alike = (query.vectors @ turns.vectors.T) * temperature.exp()
    target = torch.arange(len(alike), device=alike.device) * per_query
    return functional.cross_entropy(alike.masked_fill(ignored, LEAST), target)


def _as_signs(tokens: Tensor) -> Tensor:
    signs = torch.sign(tokens) / tokens.shape[-1] ** 0.5
    return tokens + (signs - tokens).detach()
