"""A report of a run as text, HTML or plain data."""

from dataclasses import dataclass, field

from explorer.analysis.diagnose.findings import Finding
from explorer.analysis.diagnose.health.gradient_table import GradientTable
from explorer.analysis.diagnose.health.report_contents import Reported
from explorer.analysis.diagnose.health.report_text import report_plain
from explorer.analysis.diagnose.health.sections import fault_text, faults, report_text
from explorer.analysis.diagnose.messages import finding_text
from explorer.analysis.run.levels import Level
from explorer.text.numbers import preformatted


@dataclass(frozen=True, repr=False)
class ReportedFinding:
    """A problem or notable fact in words. `str()` is the full text.

    Attributes:
        kind: name for `allow=`, such as "wrong_mode".
        level: "fault", "note" or "info".
        cell, line: place: cell from 0, line from 1, 0 if unknown.
        step: training step at which it begins, from 1, otherwise 0.
        name: name of the parameter, or "".
        title, text, repair: title, cause and fix, which may be "".
    """

    kind: str
    level: Level
    cell: int
    line: int
    step: int
    name: str
    title: str
    text: str
    repair: str
    _text: str = field(repr=False)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{self.level} {self.kind}, line {self.line}: {self.title}>"


class Report(Reported):
    """Result of `trace.report()`, with `str()`, `.to_json()` and a Jupyter display."""

    @property
    def parameters(self) -> GradientTable:
        """Gradient of every parameter."""
        return GradientTable(self.rows, self.lang)

    @property
    def findings(self) -> tuple[ReportedFinding, ...]:
        """Silent bugs, including those in training steps, () if unknown."""
        return tuple(map(self._in_words, self.diagnoses or ()))

    def _in_words(self, finding: Finding) -> ReportedFinding:
        title, text, repair = (finding_text(self.lang, finding, part) for part in ("title", "cause", "repair"))
        head = finding.kind, finding.level, finding.place.cell, finding.place.line
        name, sentence = str(finding.values.get("name", "")), "\n".join(fault_text(self, finding))
        return ReportedFinding(*head, finding.step, name, title, text, repair, sentence)

    def to_json(self) -> dict[str, object]:
        """Return plain data, with NaN and infinity as strings."""
        return report_plain(self)

    def __repr__(self) -> str:
        count = len(list(faults(self)))
        state = "sound" if self.sound else "unknown" if self.sound is None else f"{self.status}, {count} faults"
        return f"<Report: {state}, {sum(row.trained for row in self.rows)} parameters>"

    def __str__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return preformatted(str(self))


report = Report.of
