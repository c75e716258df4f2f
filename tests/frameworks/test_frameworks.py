"""Each integration runs with the real package: the example as a reader would run it, and a probe of its edge cases."""

import pytest

EXAMPLES = [
    ("google_adk_agent", "google.adk", "You told me: I take my tea green, without sugar."),
    ("pydantic_ai_agent", "pydantic_ai", "Your tea: green."),
    ("crewai_crew", "crewai", "Buy green tea."),
    ("langmem_agent", "langmem", "You take your tea green."),
]
PROBES = [
    ("google_adk_edges", "google.adk"),
    ("pydantic_ai_edges", "pydantic_ai"),
    ("crewai_edges", "crewai"),
    ("mem0_client", "mem0"),
]


@pytest.mark.parametrize(("script", "module", "said"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_an_example_runs(run_script, script: str, module: str, said: str) -> None:
    assert said in run_script(f"sdk/examples/{script}.py", module)


@pytest.mark.parametrize(("script", "module"), PROBES, ids=[row[0] for row in PROBES])
def test_edges(run_script, script: str, module: str) -> None:
    assert run_script(f"tests/frameworks/probes/{script}.py", module).splitlines()[-1] == "ok"
