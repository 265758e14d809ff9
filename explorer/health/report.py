"""One report of a run that shows itself as text, as HTML and as plain data."""

from collections.abc import Sequence

from explorer.diagnose import Finding
from explorer.health.gradients import GradientTable
from explorer.health.html import report_html
from explorer.health.plain import report_plain
from explorer.health.reported import Reported, reported
from explorer.health.words import report_text
from explorer.trace import Trace


class Report(Reported):
    """What `trace.report()` gives: its `str()` is text, in Jupyter it shows itself, `.to_json()` is plain data."""

    @property
    def parameters(self) -> GradientTable:
        """The gradient of every parameter."""
        return GradientTable(self.rows, self.lang)

    def to_json(self) -> dict:
        """The same as dictionaries, lists, texts and numbers; NaN and infinities as texts."""
        return report_plain(self)

    def __str__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return report_html(self)


def report(
    trace: Trace, diagnoses: Sequence[Finding] | None = (), backward: int | None = None, lang: str = "en"
) -> Report:
    """The report of a run.

    Args:
        diagnoses: what is wrong although nothing failed; None: unknown.
        backward: whose gradients, from 1; None: of each parameter the last that brought it one.
        lang: of its words.

    Raises:
        IndexError: the program has no such backward.
    """
    return Report(**reported(trace, diagnoses, backward, lang))
