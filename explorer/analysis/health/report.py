"""A report of a run that displays itself as text, HTML or plain data."""

from collections.abc import Iterable, Mapping, Sequence

from explorer.analysis.errors import Explanation
from explorer.analysis.faults import Finding
from explorer.analysis.health.gradients import GradientTable
from explorer.analysis.health.html import report_html
from explorer.analysis.health.plain import report_plain
from explorer.analysis.health.report_contents import NONE_EXPLAINED, Reported, reported
from explorer.analysis.health.report_text import report_text
from explorer.trace import Trace


class Report(Reported):
    """The result of `trace.report()`: `str()` is text, it displays itself in Jupyter, `.to_json()` is plain data."""

    @property
    def parameters(self) -> GradientTable:
        """The gradient of every parameter."""
        return GradientTable(self.rows, self.lang)

    def to_json(self) -> dict:
        """The same as dictionaries, lists, texts and numbers; NaN and infinities as texts."""
        return report_plain(self)

    def __repr__(self) -> str:
        faults = sum(item.level == "fault" for part in (self.rows, self.nonfinite, self.training) for item in part)
        faults += sum(found.level == "fault" for found in self.diagnoses or ())
        state = "sound" if self.sound else "unknown" if self.sound is None else f"{self.status}, {faults} faults"
        return f"<Report: {state}, {len(self.rows)} parameters>"

    def __str__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return report_html(self)


def report(
    trace: Trace,
    diagnoses: Sequence[Finding] | None = (),
    backward: int | None = None,
    lang: str = "en",
    allow: Iterable[str] = (),
    explanations: Mapping[tuple[int, int], Explanation] = NONE_EXPLAINED,
) -> Report:
    """The report of a run.

    Args:
        diagnoses: bugs that raised nothing; None: unknown.
        backward: whose gradients, from 1; None: for each parameter the last that reached it.
        lang: language of its text.
        allow: accepted kinds, such as "wrong_mode", and names of parameters, such as "embed.*".
        explanations: of the errors that ended the run, by cell and index among its outputs.

    Raises:
        IndexError: the program has no such backward.
    """
    return Report(**reported(trace, diagnoses, backward, lang, allow, explanations))
