"""What the tests of explanations share."""

from explorer.analysis.errors import Explanation, explain
from explorer.analysis.messages import told_text
from explorer.text import LANGUAGES
from explorer.trace import Failure
from tests.traces import trace_of


def told(source: str) -> Explanation:
    """What the first error of a program is explained by; its sentences can be made in every language."""
    trace = trace_of(source)
    cell, failure = next(
        (i, one) for i, cell in enumerate(trace.cells) for one in cell.outputs if isinstance(one, Failure)
    )
    found = explain(trace, cell, failure)
    assert found is not None, failure.text
    for lang in LANGUAGES:
        assert all(told_text(lang, found, part) for part in ("title", "cause", "repair"))
    return found


def mends(source: str, kind: str, line: str) -> Explanation:
    """A program's explanation, once its change was seen to have this line and to run."""
    found = told(source)
    assert found.kind == kind
    assert line in found.repaired_source.split("\n")
    assert trace_of(found.repaired_source).status == "ok"
    return found


def mends_one_line(source: str, kind: str, line: str) -> None:
    """The same for a change of one line that leaves the others as they are."""
    before, after = source.split("\n"), mends(source, kind, line).repaired_source.split("\n")
    assert len(after) == len(before)
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1


def explains(source: str, kind: str) -> None:
    """Where no change is sure none is offered."""
    found = told(source)
    assert (found.kind, found.repaired_source) == (kind, "")
