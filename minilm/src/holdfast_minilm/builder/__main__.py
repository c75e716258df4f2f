"""`python -m holdfast_minilm.builder`"""

import sys

from holdfast_minilm.builder import build
from holdfast_minilm.builder.check import ModelWrong
from holdfast_minilm.builder.source import SourceUnavailable
from holdfast_minilm.files import read_stamp


def main() -> int:
    try:
        made = build()
    except (SourceUnavailable, ModelWrong) as error:
        print(f"holdfast-minilm: {error}", file=sys.stderr)
        return 1
    stamp = read_stamp()
    assert stamp is not None, "a finished build leaves its stamp"
    print(
        f"holdfast-minilm: {'built' if made else 'up to date'};"
        f" cosine to full precision {stamp.cosine_mean} on average, {stamp.cosine_min} at worst;"
        f" probabilities of the judge at most {stamp.judge_furthest} off"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
