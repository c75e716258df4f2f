"""Repeatable benchmarks. Each prints ratios within one run (the service to bare SQL, large to small), since machines vary."""
