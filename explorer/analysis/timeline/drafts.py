"""A moment under construction."""

from msgspec import Struct, field

from explorer.analysis.timeline.records import Change, MomentKind, Stored


class Draft(Struct, gc=False):
    """A moment under construction; the fields are those of Moment.

    Attributes:
        trains: whether it updates, clips or clears leaves of a backward.
        records: whether it made a node of the graph.
        loops: rounds of the loops around its operations, of a backward around the operation before.
    """

    kind: MomentKind
    span: int
    first: int
    operations: int
    backwards: int
    step: int = -1
    shown: tuple[int, int, int] = (0, 0, 0)
    call: int = 0
    names: list[Change] = field(default_factory=list)
    versions: list[int] = field(default_factory=list)
    gradients: list[Stored] = field(default_factory=list)
    truth: bool | None = None
    text: str = ""
    backward: int = -1
    trains: bool = False
    records: bool = False
    loops: list[int] = field(default_factory=list)
