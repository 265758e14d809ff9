"""The further runs of a program for its effects: as it is, with slopes, with entries moved, and reversed."""

from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from explorer.runtime.gradcheck.prober import Prober
from explorer.runtime.gradcheck.runs import Repetitions
from explorer.runtime.influence.batches import FirstBackward, Halver, RowMover
from explorer.runtime.influence.entries import Mover, SlopeProber, WatchedEngine
from explorer.runtime.influence.functions import FunctionCounter
from explorer.runtime.influence.orders import Turner
from explorer.trace.effects import Batch, Effects, IdleBlock

MOST_MOVED = 4  # data blocks to change; each takes another run
MOST_EXCHANGED = 8  # blocks of integers and booleans, which have no slope
MOST_TURNED = 2  # data sets to reverse; each takes another run
_SAME = 1e-7  # relative; sums in another order round differently in float64


class EffectRuns(Repetitions):
    """All runs of one request. Attributes: effects: what is known so far."""

    effects = Effects()

    def found(self) -> dict[str, Any]:
        """Return the effects that are known so far."""
        return {"effects": self.effects}

    def measure(self) -> None:
        """Perform the runs. Each adds to what is known."""
        counter, turner = (
            FunctionCounter(self.source_map, [cell.text for cell in self.program.cells]),
            Turner(self.source_map),
        )
        with counter:
            before = self._ended(turner)
        functions = counter.uses() if counter.is_whole else ()
        self.effects = Effects(functions=functions)
        prober = SlopeProber(self.source_map)
        engine = WatchedEngine(prober)
        self.run(prober, engine)
        losses = before[0]
        if len(engine.values) != len(losses):
            return  # the program took another path
        self.effects = structs.replace(self.effects, data=prober.slopes())
        idle: list[IdleBlock] = []
        blocks = list(prober.candidates(len(losses)))
        whole = list(prober.whole_candidates(len(losses)))[:MOST_EXCHANGED]
        for block in (*blocks[:MOST_MOVED], *whole):
            mover = Mover(self.source_map, block)
            if self._ended(mover) == before and mover.is_moved:
                idle.append(block)
        self.effects = structs.replace(self.effects, idle=tuple(idle), is_whole=len(blocks) <= MOST_MOVED)
        orders = list(turner.orders(len(losses)))[:MOST_TURNED] if losses else []
        found = tuple(
            order for role, order in orders if _are_same(losses, self._ended(Turner(self.source_map, role))[0])
        )
        self.effects = structs.replace(self.effects, orders=found)
        if losses:
            self._measure_batch()

    def _measure_batch(self) -> None:
        """Move a row of the first batch, and give each of its halves twice."""
        before, root, has_drawn = self._begun(RowMover(self.source_map))
        if before.batch is None or root is None:
            return
        moved, other, _ = self._begun(RowMover(self.source_map, before))
        if not moved.is_moved or other is None:
            return
        place, rows = (before.batch.operation, before.batch.operand), before.row_count
        halves = [0, 1] if not has_drawn and rows % 2 == 0 else []
        roots = [self._begun(Halver(self.source_map, before, half))[1] for half in halves]
        known = tuple(one for one in roots if one is not None)
        batch = Batch(*place, rows, tuple(moved.changed), root, known if len(known) == len(halves) else ())
        self.effects = structs.replace(self.effects, batch=batch)

    def _begun(self, mover: RowMover) -> tuple[RowMover, float | None, bool]:
        """Run up to the first backward. Return its root, and whether random numbers were drawn after the batch."""
        engine = FirstBackward(mover)
        self.run(mover, engine)
        return mover, engine.root, engine.has_drawn

    def _ended(self, prober: Prober) -> tuple[list[float], bytes]:
        """Run with a prober. Return the roots of all backward calls, and the program's outputs."""
        engine = WatchedEngine(prober)
        shown = self.run(prober, engine)
        return engine.values, msgspec.msgpack.encode(shown)


def _are_same(losses: list[float], others: list[float]) -> bool:
    """Return whether all roots are equal but for rounding."""
    return len(others) == len(losses) and np.allclose(others, losses, rtol=_SAME, atol=0.0)
