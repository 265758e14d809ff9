"""The floating-point operations of a run, as a table by line and module."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from explorer.analysis.data_frames import pandas
from explorer.analysis.tensors.flops import FlopRow, Flops, flops_left_out, flops_total
from explorer.drawing.tensors.flops import MOST_ROWS, flops_html
from explorer.text import say
from explorer.text.numbers import flops_text


@dataclass(frozen=True, repr=False)
class FlopTable:
    """What `trace.flops()` returns. It displays itself in Jupyter; `str()` names the places with the most.

    Attributes:
        counted: by line and module, and what is not counted; lang: of its words.
    """

    counted: Flops
    lang: str

    @property
    def total(self) -> int:
        """Forward and backward together."""
        return self.counted.total

    @property
    def forward(self) -> int:
        """In the forward pass."""
        return self.counted.forward

    @property
    def backward(self) -> int:
        """In backward."""
        return self.counted.backward

    @property
    def rows(self) -> tuple[FlopRow, ...]:
        """By line and module, the most first."""
        return self.counted.rows

    @property
    def modules(self) -> Mapping[str, tuple[int, int]]:
        """Forward and backward of each module with all within it, by its path; "" is the whole run."""
        return self.counted.modules

    @property
    def uncounted(self) -> Mapping[str, int]:
        """Operations that multiply matrices and have no formula: name, and how often each ran."""
        return dict(self.counted.uncounted)

    def to_pandas(self) -> Any:
        """A row for each line and module. Raises ImportError without pandas."""
        columns = ("line", "code", "module", "forward", "backward")
        return pandas().DataFrame([[getattr(row, name) for name in columns] for row in self.rows], columns=columns)

    def __str__(self) -> str:
        said = [flops_total(self.counted, self.lang)]
        said += [
            f"  {flops_text(row.total):>11}  line {row.line or '?':<5} {row.code}  {row.module}".rstrip()
            for row in self.rows[:MOST_ROWS]
        ]
        if rest := self.rows[MOST_ROWS:]:
            said.append(f"  {flops_text(sum(row.total for row in rest)):>11}  {say(self.lang, 'memory-others')}")
        return "\n".join(said + flops_left_out(self.counted, self.lang))

    def __repr__(self) -> str:
        return f"<FLOPs: {flops_total(self.counted, 'en')}>"

    def _repr_html_(self) -> str:
        return flops_html(self.counted, self.lang)
