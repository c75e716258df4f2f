"""The service itself, through the client."""


def test_the_service_says_that_it_is_alive_ready_and_what_it_measured(both):
    client = both.sync
    assert client.service.health() == "ok"
    readiness = client.service.ready()
    assert readiness.ready
    assert readiness.checks["database"] == "ok"
    assert "holdfast_" in client.service.metrics()
