"""Cures of training remarks: each change is run, and offered only where its run shows that it cures."""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.analysis.health.training.cures import Cure, cures, is_cured, last_losses
from explorer.analysis.health.training.stretches import Remark
from explorer.program import GivenFile
from explorer.trace import Trace
from explorer.workers.second_run import RepairRunner


@dataclass(frozen=True)
class ProvenCure:
    """A change that cured. Attributes: cure; before, after: the loss at the end without and with it."""

    cure: Cure
    before: float
    after: float


def proven_cures(
    trace: Trace,
    seen: Sequence[Remark],
    files: tuple[GivenFile, ...] = (),
    visitor: str = "",
    patience: float | None = None,
) -> tuple[ProvenCure | None, ...]:
    """For each remark the first change that cures what it says; None where none did in time.

    Args:
        files: the files in the program's folder.
        visitor: whose share of the turns the runs use.
        patience: seconds that all runs may take together; None: as for repairs.
    """
    trial = RepairRunner(trace, files, visitor, patience)
    ran: dict[tuple[int, str], Trace | None] = {}  # several remarks may have one cause

    def prove(remark: Remark) -> ProvenCure | None:
        for cure in cures(trace, remark) if trace.status == "ok" else ():
            change = cure.cell, cure.source
            if change not in ran:
                ran[change] = trial.run(*change)
            after = ran[change]
            if after is not None and is_cured(trace, after, remark):
                return ProvenCure(cure, *last_losses(trace, after, remark))
        return None

    return tuple(prove(remark) for remark in seen)
