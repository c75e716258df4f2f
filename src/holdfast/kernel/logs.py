"""Structured logs on standard error, one line an event. Content never goes in."""

import logging
import sys
import traceback

import structlog

_TIME = structlog.processors.TimeStamper(fmt="iso", utc=True)


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
            _TIME,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Libraries that speak through the standard logger are heard when something is wrong.
    libraries = logging.StreamHandler(sys.stderr)
    libraries.setFormatter(formatter_of_libraries(renderer))
    logging.basicConfig(level=max(number, logging.WARNING), handlers=[libraries])


def formatter_of_libraries(renderer: structlog.typing.Processor) -> logging.Formatter:
    """Records of the standard logger as events of the same form as ours, one line each."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_logger_name,
            structlog.processors.add_log_level,
            _TIME,
            _name_exception,
        ],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )


def _name_exception(
    _logger: object, _method: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """An exception by its class and its frames. Its message is left out: Postgres puts values of rows into some."""
    error = event.pop("exc_info", None)
    if isinstance(error, tuple) and error[0] is not None:
        event["error"] = error[0].__name__
        event["frames"] = [
            f"{frame.filename}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(error[2])
        ]
    return event
