"""Structured logs on standard error, one line an event. Content never goes in."""

import logging
import sys

import structlog


def configure(level: str = "info") -> None:
    """JSON lines, or readable ones on a terminal."""
    number = logging.getLevelNamesMapping()[level.upper()]
    on_terminal = sys.stderr.isatty()
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer() if on_terminal else structlog.processors.JSONRenderer()
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Libraries that speak through the standard logger are heard when something is wrong.
    logging.basicConfig(
        level=max(number, logging.WARNING), stream=sys.stderr, format="%(name)s: %(message)s"
    )
