"""all-MiniLM-L6-v2 as a file inside a package.

`MiniLM().embed(texts)` gives unit vectors of 384 dimensions, on the CPU, without a network and
without torch. A text's vector depends on that text alone, never on what it was embedded with.
"""

import os

# Read by onnxruntime when it is loaded: else it writes a device id under the home folder and
# reports to its maker.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from holdfast_minilm.embedder import MiniLM
from holdfast_minilm.files import ModelUnavailable

__all__ = ["MiniLM", "ModelUnavailable"]
