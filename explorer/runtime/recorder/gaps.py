"""The gaps of a recording: stretches of long loops whose operations are counted, not recorded."""

import math
from types import FrameType
from typing import Any

from torch.overrides import _get_current_function_mode_stack, _pop_mode, _push_mode

from explorer.runtime.recorder.mode_suspension import ModeSuspension, can_trace
from explorer.runtime.recorder.nodes import sequence_number
from explorer.runtime.recorder.own_hooks import OwnHandle, restore_module_hooks, take_module_hooks
from explorer.runtime.recorder.skipped_loops import SkippedLoop, gap_here

_BETWEEN = 500  # operations recorded between two gaps


class Gaps:
    """When a recorder records nothing, and when its mode is not even on torch's stack.

    Attributes:
        open: the present gap.
        next: the operation at which the next one may begin.
        away: whether the mode has left torch's stack of modes.
    """

    def __init__(self, recorder: Any) -> None:
        self.open: SkippedLoop | None = None
        cap = recorder.operation_cap
        self.next: float = math.inf if cap is None else cap // 4
        self.away = False
        self._recorder = recorder
        self._suspension: ModeSuspension | None = None  # a stretch of the gap without the mode
        self._depth = 0  # the mode's place on torch's stack when it left
        self._leaves: list[tuple[OwnHandle, object | None]] = []  # hooks that have nothing to record while it is away
        self._modules: list[tuple[Any, dict]] = []

    def begin(self, operation: int) -> None:
        """Begin a gap after this operation if it runs in a loop that goes on for long."""
        recorder = self._recorder
        if recorder.running or recorder.steps.marks:
            return
        self.next = operation + _BETWEEN
        kept, begun, full = recorder.operation_cap // 4, (operation, sequence_number()), recorder.settled is not None
        self.open = gap_here(recorder.source_map, recorder.rows.operations, kept, begun, full)
        if self.open is not None and can_trace():
            self._suspension = ModeSuspension(self, self.open, recorder.source_map.code(self.open.frame.f_code).loops)

    def skip_or_close(self, frame: FrameType) -> bool:
        """Whether a call from `frame` is inside an open gap; closes one that has ended."""
        if self.open is None:
            return False
        try:
            if self._suspension is not None:
                if self._suspension.away:
                    return True
                if self._suspension.ended:
                    self._return()
            if not self.open.goes_on(frame):
                self.close()
        except Exception as problem:
            self.close()
            self.count_unrecorded(problem)
        return self.open is not None

    def close(self) -> None:
        """Record everything again from now on."""
        if self._suspension is not None:
            self._return()
        gap, self.open = self.open, None
        if gap is None:
            return
        recorder = self._recorder
        recorder.values.summary_cache.moment += 1
        counted, unwatched = recorder.rows.counted, sequence_number() - gap.start
        counted.update(operations=recorder.operation_count - gap.began, nodes=unwatched, backwards=gap.backwards)
        self.next = recorder.operation_count + 1 + gap.recorded
        with recorder.paused():
            recorder.nodes.skip(gap.start, recorder.operation_count)
            for index, tensor in recorder.tensors.living():
                recorder.tensors.renewed(index, tensor)

    # ---- without the mode ---------------------------------------------------------------------------------------

    def leave(self) -> bool:
        """Leave torch's stack of modes; return whether that is possible here."""
        recorder, modes = self._recorder, _get_current_function_mode_stack()
        if recorder not in modes or recorder.steps.marks or recorder.pauses or recorder.running:
            return False
        self._depth = modes.index(recorder)
        recorder.__exit__()
        self.away = True
        if not recorder.nodes.user_code:  # hooks of the program stay behind ours
            self._leaves = [(handle, handle.taken()) for handle in recorder.nodes.on_leaves]
        self._modules = take_module_hooks()
        return True

    def come_back(self) -> None:
        """Return to the place in torch's stack of modes, unless the recording has ended."""
        if not self.away:
            return
        self.away = False
        for handle, hook in self._leaves:
            handle.put_back(hook)
        restore_module_hooks(self._modules)
        self._leaves, self._modules = [], []
        above = [_pop_mode() for _ in _get_current_function_mode_stack()[self._depth :]]
        for mode in (self._recorder, *reversed(above)):
            _push_mode(mode)

    def pause(self) -> None:
        """Torch or the recorder works for a while: no line of a loop needs to be traced."""
        if self._suspension is not None:
            self._suspension.pause()

    def go_on(self) -> None:
        """The program goes on after a pause."""
        if self._suspension is not None:
            self._suspension.go_on()

    def count_unrecorded(self, problem: Exception) -> None:
        """Count something that could not be recorded."""
        self._recorder.count_unrecorded(problem)

    def _return(self) -> None:
        """Come back to torch's stack of modes, and count what ran meanwhile."""
        suspension, self._suspension = self._suspension, None
        if suspension is not None:
            suspension.end()
            recorder = self._recorder
            with recorder.paused():
                about = self.open.passed(suspension.rounds) if self.open is not None else 0
                recorder.operation_count += about
                recorder.rows.counted["about"] += about
