"""The floating-point operations of a run, as a table by line and module."""

from dataclasses import dataclass
from typing import Any

from explorer.analysis.data_frames import pandas
from explorer.analysis.tensors.flops import Flops, flops_left_out, flops_total
from explorer.drawing.tensors.flops import MOST_ROWS, flops_html
from explorer.text import say
from explorer.text.numbers import flops_text


@dataclass(frozen=True, repr=False)
class FlopTable(Flops):
    """What `trace.flops()` returns. It displays itself in Jupyter; `str()` names the places with the most.

    Attributes:
        lang: of its words; the others are those of Flops.
    """

    lang: str = "en"

    def to_pandas(self) -> Any:
        """A row for each line and module. Raises ImportError without pandas."""
        columns = ("line", "code", "module", "forward", "backward")
        return pandas().DataFrame([[getattr(row, name) for name in columns] for row in self.rows], columns=columns)

    def __str__(self) -> str:
        said = [flops_total(self, self.lang)]
        said += [
            f"  {flops_text(row.total):>11}  line {row.line or '?':<5} {row.code}  {row.module}".rstrip()
            for row in self.rows[:MOST_ROWS]
        ]
        if rest := self.rows[MOST_ROWS:]:
            said.append(f"  {flops_text(sum(row.total for row in rest)):>11}  {say(self.lang, 'memory-others')}")
        return "\n".join(said + flops_left_out(self, self.lang))

    def __repr__(self) -> str:
        return f"<FLOPs: {flops_total(self, 'en')}>"

    def _repr_html_(self) -> str:
        return flops_html(self, self.lang)
