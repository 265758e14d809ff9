"""Examples of a batch that should not meet: which one to follow back, and the operation that mixes them."""

from dataclasses import dataclass

from explorer.analysis.gradcheck.subjects import COUNTED
from explorer.analysis.operations import LOSSES, names_where, operation_of, spellings
from explorer.analysis.run import Call, Run, Tensor, run_of
from explorer.trace import Probe, ProbeReading, Trace

_SHAPES = names_where(lambda operation: operation.sentence in ("reshape", "transpose", "contiguous"))
_POSITIONS = "embedding"
_FAR = 6  # operations between a loss and what has a row for each example


@dataclass(frozen=True)
class Mixed:
    """An operation after which an example depends on others.

    Attributes:
        operation: its id; code, line: its place; example: which was followed; others: the first that it depends on.
    """

    operation: int
    code: str
    line: int
    example: int
    others: tuple[int, ...]


def example_probe(trace: Trace) -> Probe | None:
    """A probe that follows an example of the first predictions back to their batch; None if none are known.

    Predictions are compared with a target for each of them.
    """
    run = run_of(trace)
    first = run.backwards[0].time if run.backwards else 0
    if any(bound.kind in COUNTED for bound in trace.limits):
        return None
    for loss in run.calls(LOSSES | spellings("sub")):
        pair = sorted(loss.inputs[:2], key=lambda tensor: not tensor.requires_grad)
        if loss.id < first and loss.leads_to_root and len(pair) == 2 and pair[0].requires_grad > pair[1].requires_grad:
            probe = _between(run, pair[0], pair[1])
            if probe is not None:
                return probe
    return None


def _between(run: Run, made: Tensor, target: Tensor) -> Probe | None:
    """The probe between a prediction and the batch that it was made of."""
    below = run.below([made], 2_000)
    for at in range(made.maker.id if made.maker is not None else 0):
        call = run.call(at)
        given = [one for one in call.inputs if not one.requires_grad and one.id in below]
        if not given or not any(one.requires_grad and one.id in below for one in call.outputs):
            continue
        batch = next((one for one in given if call.name == _POSITIONS or one.dtype.startswith("float")), None)
        if batch is None or (len(batch.shape) < 2 and call.name != _POSITIONS):
            continue
        reader, batch = (call, batch) if call.name == _POSITIONS else _source(call, batch)
        forms = (one for one in _forms(made) if len(one.shape) > 1)  # of a vector the entries may be one example
        rows = next((one for one in forms if 1 < one.shape[0] in batch.shape), None)
        if rows is None or rows.maker is None or target.size % rows.shape[0] or not target.shape:
            return None
        output, operand = rows.maker.outputs.index(rows), reader.inputs.index(batch)
        root = (rows.maker.id, output)
        return Probe(reader.id, operand, reader.name, 0, (), -1, root, rows.shape[0])
    return None


def _source(call: Call, batch: Tensor) -> tuple[Call, Tensor]:
    """The data before they got another shape, and what reads them."""
    while batch.maker is not None and batch.maker.name in _SHAPES and batch.maker.inputs:
        call, batch = batch.maker, batch.maker.inputs[0]
    return call, batch


def _forms(made: Tensor) -> list[Tensor]:
    """A prediction, and what it was before it got another shape."""
    forms = [made]
    through = _SHAPES | {"__getitem__"}
    while (maker := forms[-1].maker) is not None and maker.name in through and maker.inputs and len(forms) < _FAR:
        forms.append(maker.inputs[0])
    return forms


def mixed(trace: Trace, reading: ProbeReading) -> Mixed | None:
    """The operation that mixes examples, None where none does, or one that does so on purpose.

    Of a layer that reads features and now reads several examples it is the one that merged them.
    """
    if max(reading.mixing, reading.merged) >= len(trace.operations) or reading.mixing < 0 or not reading.others:
        return None
    call = run_of(trace).call(reading.mixing)
    if call.name == "linear" and reading.merged >= 0:
        call = run_of(trace).call(reading.merged)
    if not operation_of(call.name).keeps_examples:
        return None
    line = call.place.line if call.place is not None else 0
    return Mixed(call.id, call.text or call.name, line, reading.example, reading.others)
