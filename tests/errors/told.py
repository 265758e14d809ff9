"""What the tests of explanations share."""

from explorer.analysis.errors.failure_context import Explanation
from explorer.analysis.errors.wire import explain
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
