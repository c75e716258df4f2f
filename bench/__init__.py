"""Repeatable benchmarks. Each prints ratios from one run, since machines are noisy: ours against the bare SQL, large against small."""
