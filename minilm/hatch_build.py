"""Makes the model before a wheel or an editable install, so that no binary is committed."""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ModelHook(BuildHookInterface[Any]):
    """Runs `holdfast_minilm.builder`; does nothing when the model is there and fresh."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        source = str(Path(self.root, "src"))
        sys.path.insert(0, source)
        try:
            from holdfast_minilm.builder import build

            build()
        finally:
            sys.path.remove(source)
