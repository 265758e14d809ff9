"""The pytest plugin: tests that are recorded, and kept when they fail.

@pytest.mark.gradients                 # the test is recorded, and fails unless its report is sound
def test_the_model_learns(): ...

def test_a_step(recorded):
    with recorded() as trace:          # explorer.record(); kept if the test fails
        loss.backward()

Nothing of the explorer is imported before a test asks for it.
"""

import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

_RECORDINGS = pytest.StashKey[list[Any]]()
_LONGEST = 150  # characters of a file's name


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("autograd-explorer")
    group.addoption(
        "--explorer-output", metavar="DIR", default="explorer-failures", help="where runs of failing tests are kept"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "gradients(allow=[…]): record the test; it fails unless a backward runs and every gradient is sound "
        "(Autograd Explorer)",
    )


@pytest.fixture
def recorded(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`explorer.record`, whose recordings are kept if the test fails."""
    recordings = request.node.stash.setdefault(_RECORDINGS, [])

    def record(*args: Any, **kwargs: Any) -> Any:
        import explorer

        recordings.append(explorer.record(*args, **kwargs))
        return recordings[-1]

    return record


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Record a marked test; afterwards hold its last recording against the marker."""
    __tracebackhide__ = True
    marker = pyfuncitem.get_closest_marker("gradients")
    if marker is not None and (marker.args or set(marker.kwargs) - {"allow"}):
        given = ", ".join([*map(repr, marker.args), *marker.kwargs])
        raise pytest.UsageError(f"pytest.mark.gradients takes allow=[…] and nothing else, not {given[:80]}")
    result = yield from (_plain() if marker is None else _recorded(pyfuncitem))
    if marker is not None:
        from explorer.testing import assert_sound
        from explorer.text import say

        run = _finished(pyfuncitem)[-1]
        if all(call.kind == "implicit" for call in run.backwards):
            raise AssertionError(say("en", "pytest-no-backward"))
        assert_sound(run, allow=marker.kwargs.get("allow", ()))
    return result


def _plain() -> Generator[None, Any, Any]:
    return (yield)


def _recorded(item: pytest.Function) -> Generator[None, Any, Any]:
    from explorer.api.recording import Recorded
    from explorer.runtime.record import Scope

    recording = Recorded()
    item.stash.setdefault(_RECORDINGS, []).append(recording)
    function = getattr(item.obj, "__func__", item.obj)
    recording.begin(Scope(function.__code__, function.__globals__))
    try:
        return (yield)
    finally:
        recording.__exit__(*sys.exc_info())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Generator[None, Any, Any]:
    """Keep the recordings of a failing test, and name the files in its report."""
    report: Any = yield
    if call.when == "call" and report.failed:
        for name, run in _named(item, _finished(item)):
            files = _keep(Path(item.config.getoption("--explorer-output")), name, run)
            report.sections.append(("Autograd Explorer", "\n".join(map(str, files))))
    return report


def _finished(item: pytest.Item) -> list[Any]:
    """The recordings of a test that have ended."""
    return [run for run in item.stash.get(_RECORDINGS, []) if run.trace is not None]


def _named(item: pytest.Item, runs: list[Any]) -> Iterator[tuple[str, Any]]:
    """The recordings with the names of their files."""
    words = "".join(sign if sign.isalnum() or sign in "_.-" else " " for sign in item.nodeid).split()
    name = "_".join(words).strip("_")[-_LONGEST:]
    for number, run in enumerate(runs):
        yield (f"{name}-{number + 1}" if number else name), run


def _keep(folder: Path, name: str, run: Any) -> list[Path]:
    """Write a recording as .trace and as a page; return the files that could be written."""
    import explorer

    folder.mkdir(parents=True, exist_ok=True)
    files = []
    try:
        explorer.save(run, folder / f"{name}.trace")
        files.append(folder / f"{name}.trace")
        (folder / f"{name}.html").write_text(explorer.draw(run).html(), encoding="utf-8")
        files.append(folder / f"{name}.html")
    except (
        OSError,
        ValueError,
        ImportError,
    ) as problem:  # no room, too large, no layout: the test's own failure matters more
        files.append(Path(f"{name}: {problem}"))
    return files
