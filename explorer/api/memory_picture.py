"""The memory that a run keeps for backward, as a picture and a table."""

from dataclasses import dataclass, field
from typing import Any

from explorer.analysis.data_frames import pandas
from explorer.analysis.tensors.backward_memory import MemoryCurve
from explorer.drawing.tensors.backward_memory import memory_html
from explorer.text import say
from explorer.text.numbers import bytes_text

_STYLE = (
    "<style>.kept-curve{width:100%;height:160px}.kept-curve .forward{fill:#4a7ab5}.kept-curve .backward{fill:#e0a050}"
    ".kept-curve .peak,.kept-curve .foot{stroke:#888;fill:none}.kept-phases span{margin-right:16px}"
    ".kept-phases .forward{color:#4a7ab5}.kept-phases .backward{color:#b56f10}</style>"
)


@dataclass(frozen=True, repr=False)
class MemoryPicture:
    """What `trace.memory()` returns. It displays itself in Jupyter; `str()` names the peak and what keeps it.

    Attributes:
        curve: bytes after each operation and each node of backward; lang: of its words.
    """

    curve: MemoryCurve = field(compare=False)
    lang: str

    @property
    def peak(self) -> int:
        """The largest number of bytes."""
        return self.curve.most

    def to_pandas(self) -> Any:
        """A row for each moment: bytes, whether it is one of backward, line. Raises ImportError without pandas."""
        curve = self.curve
        return pandas().DataFrame({"bytes": curve.bytes, "backward": curve.backward, "line": curve.lines})

    def __str__(self) -> str:
        curve, lang = self.curve, self.lang
        said = [say(lang, "memory-peak", size=bytes_text(curve.most), line=int(curve.lines[curve.peak]))]
        said += [
            f"  {bytes_text(held.bytes):>9}  line {int(held.line) or '?':<5} {held.code}  {held.module}".rstrip()
            for held in curve.held
        ]
        if curve.hooked:
            said.append(say(lang, "memory-hooked", count=curve.hooked))
        return "\n".join(said)

    def __repr__(self) -> str:
        return f"<Memory kept for backward: peak {bytes_text(self.curve.most)}>"

    def _repr_html_(self) -> str:
        return _STYLE + memory_html(self.curve, self.lang)
