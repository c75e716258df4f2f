"""What libraries log is a JSON line like our own events, without the texts of exceptions."""

import json
import logging

import structlog

from holdfast.kernel.logs import formatter_of_libraries


def test_a_record_of_a_library_is_one_json_line_without_the_exceptions_text(capsys):
    handler = logging.StreamHandler()
    handler.setFormatter(formatter_of_libraries(structlog.processors.JSONRenderer()))
    library = logging.Logger("some.library")
    library.addHandler(handler)

    try:
        raise ValueError("Failing row contains (ana, secret)")
    except ValueError:
        library.exception("job %s failed:\nas before", "job_1")

    printed = capsys.readouterr().err
    assert printed.count("\n") == 1
    event = json.loads(printed)
    assert (event["logger"], event["level"]) == ("some.library", "error")
    assert (event["event"], event["error"]) == ("job job_1 failed:\nas before", "ValueError")
    assert "test_logs.py" in event["frames"][0]
    assert "secret" not in printed
