"""Facts of each kind of finding."""

from collections.abc import Callable
from typing import NamedTuple

from explorer.analysis.run.levels import Level


class Kind(NamedTuple):
    """Facts about a kind, declared at its rule with `finds` (`faults/finding.py`).

    Attributes:
        rule: function that finds it. Its docstring says what it detects.
        condition: what makes it a fault. A rule that cannot establish it yields certain=False, which makes it a note.
        explained_by: kinds that explain it or say the same. It is then not reported.
        reads_text: whether words of the program can rule it out, such as a clock. Without its text it is not reported.
        is_logged: whether it counts steps of the training log instead of recorded operations.
    """

    rule: Callable[..., object]
    level: Level
    condition: str
    explained_by: tuple[str, ...]
    reads_text: bool
    is_logged: bool


KINDS: dict[str, Kind] = {}  # name → kind, complete when `faults.diagnosis` is imported
