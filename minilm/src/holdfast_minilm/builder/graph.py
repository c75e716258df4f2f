"""all-MiniLM-L6-v2 written as an ONNX graph: six BERT layers, mean pooling, unit length.

Four choices make the 8-bit graph quick, and its vectors steady and true:

- Every token's activations have a scale of their own. With one scale for a whole batch (what
  `DynamicQuantizeMatMul` does) a text's vector would change with the texts beside it.
- A few channels are many times larger than the rest and would leave them few of the 8 bits, so
  channels are evened out before they are rounded, and the weights take it back.
- All texts of a run have the same length, so there is no padding and no mask.
- Where a processor has no VNNI, onnxruntime adds the products of neighbouring weights in 16 bits,
  which saturate. Weights are scaled so that no neighbouring pair can get there: the integer sums
  are exact on every processor.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from holdfast_minilm.builder.source import Weights

Floats = npt.NDArray[np.float32]
# The largest activation of each channel that goes into a product, by the product's name.
Peaks = Mapping[str, Floats]


class Heads(NamedTuple):
    """What the judge adds: a vector for each kind of text, and heads over the pooled state."""

    kinds: Floats
    weight: Floats
    bias: Floats


LAYERS, HEADS, HIDDEN, POSITIONS, PROJECTED = 6, 12, 384, 256, 64
EPSILON = 1e-12
OPSET, IR_VERSION = 17, 8
MICROSOFT = "com.microsoft"

# Activations are 0…255, and 16 bits hold 32,767: two neighbours may sum to 128 at most.
MAX_WEIGHT, MAX_PAIR = 127, 128
# Above -min(gelu), which is 0.16997: shifted by it, activations are positive and use all 8 bits.
GELU_SHIFT = np.float32(0.17)
# How much of a channel's excess moves into the weights; the best of 0.5, 0.65 and 0.8.
EVENING = 0.65


def encoder(weights: Weights, projection: Floats, peaks: Peaks | None = None) -> bytes:
    """The graph: `ids` (texts, tokens) in; out come `vectors` (texts, 384) and `tokens` (texts,
    tokens, 64), of unit length.

    With `peaks` it computes in 8 bits; without, in full precision, and puts out the peaks too. The
    projection of the tokens stays in full precision: it is a fiftieth of the work.
    """
    graph = _Graph(peaks)
    hidden = _layers(graph, weights, _embeddings(graph, weights))
    pooled = graph.node("ReduceMean", [hidden], axes=[1], keepdims=0)
    graph.node("LpNormalization", [pooled], output="vectors", p=2, axis=-1)
    projected = graph.node("MatMul", [hidden, graph.constant(projection.T)])
    graph.node("LpNormalization", [projected], output="tokens", p=2, axis=-1)
    graph.put_out("vectors", ["texts", HIDDEN])
    graph.put_out("tokens", ["texts", "tokens", PROJECTED])
    return graph.serialise(["ids"])


def judge(weights: Weights, heads: Heads, peaks: Peaks | None = None) -> bytes:
    """The graph that reads several texts as one: `ids` and `kinds` (which text each token is of)
    in; out come `scores` (texts, outputs of the heads).
    """
    graph = _Graph(peaks)
    hidden = _layers(graph, weights, _embeddings(graph, weights, heads.kinds))
    pooled = graph.node("ReduceMean", [hidden], axes=[1], keepdims=0)
    scores = graph.node("MatMul", [pooled, graph.constant(heads.weight.T)])
    graph.node("Add", [scores, graph.constant(heads.bias)], output="scores")
    graph.put_out("scores", ["texts", len(heads.bias)])
    return graph.serialise(["ids", "kinds"])


def quantise(weight: Floats) -> tuple[npt.NDArray[np.int8], Floats]:
    """8-bit weights and a scale for each row, with no neighbouring pair past MAX_PAIR."""
    pairs = np.abs(weight[:, 0::2] + weight[:, 1::2]).max(axis=1)
    # Rounding can add one to a pair, hence MAX_PAIR - 1.
    scale = np.maximum(np.abs(weight).max(axis=1) / MAX_WEIGHT, pairs / (MAX_PAIR - 1))
    return np.rint(weight / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def evening(peak: Floats, weight: Floats) -> Floats:
    """What to divide each channel by: powers of two, so that nothing is lost in doing so."""
    factor = peak**EVENING / np.maximum(np.abs(weight).max(axis=0), 1e-9) ** (1 - EVENING)
    steps = np.rint(np.log2(factor / np.median(factor)))
    even: Floats = np.exp2(np.clip(steps, -3, 6)).astype(np.float32)
    return even


def _embeddings(graph: "_Graph", weights: Weights, kinds: Floats | None = None) -> str:
    """What goes into the first layer; `kinds` are vectors that mark the text each token is of."""
    words = graph.lookup(weights["embeddings.word_embeddings.weight"], "ids")
    places = weights["embeddings.position_embeddings.weight"][:POSITIONS]
    if kinds is None:
        places = places + weights["embeddings.token_type_embeddings.weight"][0]
    else:
        marks = graph.node("Gather", [graph.constant(kinds), "kinds"])
        words = graph.node("Add", [words, marks])
    start, axis = (graph.constant(np.array([0], dtype=np.int64)) for _ in range(2))
    shape = graph.node("Shape", ["ids"], start=1, end=2)
    here = graph.node("Slice", [graph.constant(places), start, shape, axis])
    return _normalise(graph, weights, "embeddings.LayerNorm.", graph.node("Add", [words, here]))


def _layers(graph: "_Graph", weights: Weights, hidden: str) -> str:
    for layer in range(LAYERS):
        hidden = _layer(graph, weights, f"encoder.layer.{layer}.", hidden)
    return hidden


def _layer(graph: "_Graph", weights: Weights, at: str, hidden: str) -> str:
    def gathered(kind: str) -> Floats:
        parts = [weights[f"{at}attention.self.{part}.{kind}"] for part in ("query", "key", "value")]
        return np.concatenate(parts)

    projected = graph.matmul_even(hidden, gathered("weight"), f"{at}attention.peak")
    parts = graph.split(projected, 3)
    attended = graph.node(
        "MultiHeadAttention", [*parts, graph.constant(gathered("bias"))], MICROSOFT, num_heads=HEADS
    )
    back = graph.matmul(attended, weights[f"{at}attention.output.dense.weight"])
    back = graph.add(back, weights[f"{at}attention.output.dense.bias"])
    hidden = _normalise(
        graph, weights, f"{at}attention.output.LayerNorm.", graph.node("Add", [back, hidden])
    )
    wide = graph.matmul_even(
        hidden, weights[f"{at}intermediate.dense.weight"], f"{at}intermediate.peak"
    )
    bias = graph.constant(weights[f"{at}intermediate.dense.bias"])
    wide = graph.node("BiasGelu", [wide, bias], MICROSOFT)
    narrow = graph.matmul_gelu(
        wide, weights[f"{at}output.dense.weight"], weights[f"{at}output.dense.bias"]
    )
    return _normalise(graph, weights, f"{at}output.LayerNorm.", graph.node("Add", [narrow, hidden]))


def _normalise(graph: "_Graph", weights: Weights, at: str, value: str) -> str:
    gain, bias = (graph.constant(weights[at + kind]) for kind in ("weight", "bias"))
    return graph.node("LayerNormalization", [value, gain, bias], epsilon=EPSILON, axis=-1)


class _Graph:
    """Nodes and constants as they are written, in full precision or in 8 bits."""

    def __init__(self, peaks: Peaks | None) -> None:
        self._peaks = peaks
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._outputs: list[ValueInfoProto] = []

    def node(
        self, kind: str, inputs: Sequence[str], domain: str = "", output: str = "", **options: Any
    ) -> str:
        name = output or f"{kind}_{len(self._nodes)}"
        self._nodes.append(
            helper.make_node(kind, inputs, [name], name=name, domain=domain, **options)
        )
        return name

    def split(self, value: str, parts: int) -> list[str]:
        names = [f"Split_{len(self._nodes)}_{part}" for part in range(parts)]
        self._nodes.append(helper.make_node("Split", [value], names, name=names[0], axis=-1))
        return names

    def constant(self, value: npt.ArrayLike) -> str:
        name = f"constant_{len(self._constants)}"
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def add(self, value: str, bias: Floats) -> str:
        return self.node("Add", [value, self.constant(bias)])

    def lookup(self, table: Floats, ids: str) -> str:
        """The rows of `table` that `ids` names; in 8 bits, each row with its scale."""
        if self._peaks is None:
            return self.node("Gather", [self.constant(table), ids])
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-9) / np.float32(127)
        rows = self.constant(np.rint(table / scale).astype(np.int8))
        rows = self.node("Cast", [self.node("Gather", [rows, ids])], to=TensorProto.FLOAT)
        return self.node("Mul", [rows, self.node("Gather", [self.constant(scale), ids])])

    def matmul(self, value: str, weight: Floats) -> str:
        """`value` times `weight`; activations are taken as -127…127 of each token's largest."""
        if self._peaks is None:
            return self.node("MatMul", [value, self.constant(weight.T)])
        largest = self._largest(self.node("Abs", [value]))
        quantised, scale = quantise(weight)
        return self._integer_matmul(value, largest, np.float32(1 / 127), 128, quantised, scale)

    def matmul_even(self, value: str, weight: Floats, peak: str) -> str:
        """The same with the channels of `value` evened out, for which it needs their peaks."""
        if self._peaks is None:
            self._put_out_peak(value, peak)
            return self.matmul(value, weight)
        factor = evening(self._peaks[peak], weight)
        even = self.node("Mul", [value, self.constant(1 / factor)])
        return self.matmul(even, weight * factor)

    def matmul_gelu(self, value: str, weight: Floats, bias: Floats) -> str:
        """The same after a GELU, and plus the bias, which in 8 bits takes back the shift."""
        if self._peaks is None:
            return self.add(self.matmul(value, weight), bias)
        shifted = self.node("Add", [value, self.constant(GELU_SHIFT)])
        quantised, scale = quantise(weight)
        product = self._integer_matmul(
            shifted, self._largest(shifted), np.float32(1 / 255), 0, quantised, scale
        )
        shift = GELU_SHIFT * scale * quantised.sum(axis=1)
        return self.add(product, (bias - shift).astype(np.float32))

    def put_out(self, name: str, shape: Sequence[str | int]) -> None:
        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def _put_out_peak(self, value: str, name: str) -> None:
        self.node("ReduceMax", [self.node("Abs", [value])], output=name, axes=[0, 1], keepdims=0)
        self.put_out(name, [HIDDEN])

    def _largest(self, value: str) -> str:
        return self.node("ReduceMax", [value], axes=[-1], keepdims=1)

    def _integer_matmul(
        self, value: str, largest: str, step: np.float32, zero: int,
        weight: npt.NDArray[np.int8], scale: Floats,
    ) -> str:  # fmt: skip
        steps, zeros = self.constant(step), self.constant(np.uint8(zero))
        unit = self.node("Div", [value, largest])
        activations = self.node("QuantizeLinear", [unit, steps, zeros])
        weights = [self.constant(weight.T), steps, self.constant(scale), zeros]
        product = self.node("MatMulIntegerToFloat", [activations, *weights], MICROSOFT)
        return self.node("Mul", [product, largest])

    def serialise(self, inputs: Sequence[str]) -> bytes:
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"])
            for name in inputs
        ]
        graph = helper.make_graph(
            self._nodes, "all-MiniLM-L6-v2", given, self._outputs, self._constants
        )
        model = helper.make_model(
            graph, ir_version=IR_VERSION, producer_name="holdfast-minilm",
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)],
        )  # fmt: skip
        content: bytes = model.SerializeToString(deterministic=True)
        return content
