"""Repeatable benchmarks that print ratios and figures."""
