"""A real server beside programs that want it for themselves."""

import pytest

from tests.hostile import ENDLESS, PROGRAMS
from tests.patience import PATIENT
from tests.visitor import Health, Visitor, ends, server

BESIDE = ("no end", "memory", "printed", "operations", "names", "html", "arguments", "numbers", "axes")


@pytest.fixture(scope="module")
def running():
    """A server that can run programs, and its port."""
    with server(EXPLORER_TIME_LIMIT="2") as (process, port):  # whom nothing stops before takes part for that long
        first = Visitor(port)
        assert first.ready()
        first.close()
        yield process, port


@pytest.mark.thorough
def test_health_answers_and_another_session_works_beside_hostile_programs(running):
    _, port = running
    other, hostile = Visitor(port, "198.51.100.1"), [Visitor(port, "203.0.113.9") for _ in BESIDE]
    with Health(port) as health:
        for visitor, name in zip(hostile, BESIDE, strict=True):
            visitor.send(PROGRAMS[name])
        took = [other.type(f"print('answer ' * 2, {i})", f"answer answer  {i}") for i in range(3)]
    assert health.answers and not health.failures
    assert None not in took
    assert not other.exceptions
    for visitor in (other, *hostile):
        visitor.close()


@pytest.mark.thorough
def test_a_server_that_is_told_to_end_does_so_beside_programs_without_an_end(running):
    process, port = running
    for _ in range(4):
        Visitor(port).send(ENDLESS)
    assert ends(process, PATIENT)
