"""all-MiniLM-L6-v2, trained on to read conversations, as a file inside a package.

`MiniLM().embed(texts)` gives unit vectors of 384 dimensions, `encode` also one of 64 for each
token, on the CPU, without a network and without torch. A text's vectors depend on that text (and
on what was said before it, where that is given), never on what it was embedded with.

`Judge().compare(pairs)` says of two statements of a person whether the later one replaces the
earlier, or says it again; `Judge().worth(said)` how likely a long-term memory would keep one.
"""

import os

# Read by onnxruntime when it is loaded: else it writes a device id under the home folder and
# reports to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from holdfast_minilm.embedder import Encoded, MiniLM, as_bits
from holdfast_minilm.files import ModelUnavailable
from holdfast_minilm.judge import Judge, Pair, Said, Verdict

__all__ = [
    "Encoded",
    "Judge",
    "MiniLM",
    "ModelUnavailable",
    "Pair",
    "Said",
    "Verdict",
    "as_bits",
]
