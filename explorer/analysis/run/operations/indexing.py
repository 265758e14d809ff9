"""Map reads and writes by index to entries."""

from functools import partial

import numpy as np

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import NoEntryMap, OperationCall, Reading, moved
from explorer.analysis.run.operations.record import Derivative, EntryMap, Operation, Rule


def _nonzero(call: OperationCall, operation: Operation) -> EntryMap:
    """Map each result number to the nonzero entry whose coordinate it is."""
    shape, found = call.operands[0].shape, [part.numbers for part in call.results]
    if any(numbers is None for numbers in found):
        raise NoEntryMap("values")
    if len(found) == 1 and len(call.results[0].shape) == 2:
        flat = np.ravel_multi_index(found[0].astype(int).reshape(-1, len(shape)).T, shape)
        return [Reading((np.repeat(flat, len(shape)).reshape(-1, 1),), "position", (), (("of", 1.0),))]
    flat = np.ravel_multi_index([numbers.astype(int) for numbers in found], shape)
    return [Reading((flat.reshape(-1, 1),), "position", ()) for _ in found]


def _where(call: OperationCall, operation: Operation) -> EntryMap:
    """Map `torch.where`, which with a single argument is nonzero."""
    alone = len(call.arguments.positional) < 3 and not call.arguments.named
    return (_nonzero if alone else moved)(call, operation)


_CHOICE: dict[str, Rule] = {"self": "where(condition, 1, 0)", "other": "where(condition, 0, 1)"}
_TAKEN: dict[str, Rule] = {"self": Derivative(words="taken")}
_LOOKED_UP: dict[str, Rule] = {"self": Derivative(words="looked-up")}
_pick = partial(Operation, subject="pick", sentence="index")
_READS = (
    _pick("__getitem__", entries=moved, step="entries", nodes={"Index": _LOOKED_UP}),
    _pick("index_select", entries=moved, step="entries", derivative=_LOOKED_UP),
    _pick("gather", entries=moved, sentence="gather", step="entries", derivative=_LOOKED_UP),
    _pick("take", entries=moved, step="entries"),
    _pick("take_along_dim", entries=moved),
    _pick("narrow", entries=moved),
    _pick("select", entries=moved, step="entries", derivative=_TAKEN),
    _pick("unfold", entries=moved, derivative=_LOOKED_UP),
    Operation("slice", step="entries", derivative={
        "self": Derivative(words="taken")}),
    _pick("masked_select", entries=moved, sentence="mask", step="entries", derivative={
        "self": Derivative(words="taken")}),
    _pick("nonzero", "argwhere", entries=_nonzero, sentence="nonzero", gives="positions"),
    Operation("searchsorted", "bucketize", gives="positions"),
    Operation("isin", gives="truth"),
    _pick("where", entries=_where, sentence="where", stretches=True, derivative=_CHOICE),
    _pick("embedding", entries=moved, sentence="embedding", derivative={"weight": Derivative(
        words="embedding", cases=(("padding_idx", -1, Derivative(words="embedding-all")),))}),
)  # fmt: skip
_write = partial(Operation, subject="pick", sentence="write", writes=True)
_MASKED: dict[str, Rule] = {"self": "where(mask, 0, 1)", "value": "where(mask, 1, 0)"}
OPERATIONS = (
    *_READS,
    _write("__setitem__", entries=moved, nodes={"CopySlices": {"": Derivative(words="slices")}}),
    _write("index_put", entries=moved),
    _write("masked_fill", entries=moved, stretches=True, derivative=_MASKED, alike=alike.masked),
    _write("scatter", entries=moved),
    _write("scatter_add", entries=moved, sentence="scatter-add"),
    _write("index_add", entries=moved, sentence="scatter-add"),
    _write("fill", entries=moved, fills=True),
    _write("zero", entries=moved, fills=True),
    _write("copy", entries=moved, fills=True, nodes={"Copys": {"self": "0", "src": "1"}}),
)
