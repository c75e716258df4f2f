"""Prometheus metrics. Labels name routes, kinds and outcomes, never a tenant or anything it wrote."""

from prometheus_client import Counter, Gauge, Histogram

request_seconds = Histogram(
    "holdfast_http_request_seconds",
    "Time to answer a request.",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
requests_in_flight = Gauge(
    "holdfast_http_requests_in_flight", "Requests being answered now.", multiprocess_mode="livesum"
)
sign_in_failures = Counter("holdfast_sign_in_failures_total", "Sign-ins that were refused.")
jobs_finished = Counter(
    "holdfast_jobs_finished_total", "Jobs by kind and outcome.", ["kind", "outcome"]
)
backend_failures = Counter(
    "holdfast_backend_failures_total", "Requests that found a backend unreachable.", ["backend"]
)
conversation_flushes = Counter(
    "holdfast_conversation_flushes_total",
    "Flushes by strategy and outcome.",
    ["strategy", "outcome"],
)
llm_failures = Counter("holdfast_llm_failures_total", "Calls of the language model that failed.")
