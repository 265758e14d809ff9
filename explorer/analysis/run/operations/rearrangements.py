"""Calls that only move entries: reshape, transpose, expand, cat, flip, triangles, diagonals."""

from functools import partial

from explorer.analysis.run.operations import alike
from explorer.analysis.run.operations.call import NoEntryMap, OperationCall, copied, moved, places
from explorer.analysis.run.operations.record import Derivative, EntryMap, Operation, Rule


def _map_reshape(call: OperationCall, operation: Operation) -> EntryMap:
    """Map entries in unchanged row-major order."""
    if call.results[0].size != call.operands[0].size:
        raise NoEntryMap("size")
    return [copied(places(call.operands[0].shape))]


def _words(words: str, to: str = "self") -> dict[str, Rule]:
    return {to: Derivative(words=words)}


_same_order = partial(Operation, subject="shape", entries=_map_reshape, sentence="reshape", keeps_examples=True)
_move = partial(Operation, subject="shape", entries=moved)
_join = partial(Operation, subject="shape", entries=moved, sentence="cat")
_split = partial(Operation, subject="shape", entries=moved, sentence="split")
_SHAPE, _JOINED = _words("shape"), _words("joined")
_STRETCHED: dict[str, Rule] = {"self": Derivative("1", "stretched")}
OPERATIONS = (
    _same_order("reshape", "flatten ravel unflatten view_as reshape_as", alike=alike.reshaped),
    _same_order("view", derivative=_SHAPE, step="shape", alike=alike.reshaped),
    Operation("_unsafe_view", sentence="reshape", derivative=_SHAPE, step="shape"),
    Operation("_reshape_alias", sentence="reshape", derivative=_SHAPE, step="shape"),
    _same_order("squeeze", derivative=_SHAPE, step="shape", alike=alike.reshaped),
    _same_order("unsqueeze", derivative=_SHAPE, step="shape", alike=alike.reshaped),
    _same_order("contiguous", sentence="contiguous", alike=alike.same),
    _same_order("clone", sentence="clone", derivative={"self": "1"}, step="same", alike=alike.same),
    _same_order("detach", sentence="detach"),
    _same_order("to", "float double half bfloat16 int long short char byte bool type type_as positive",
                nodes={"ToCopy": {"self": "1"}}, alike=alike.same),
    Operation("alias", derivative={"self": "1"}, step="same"),
    _move("transpose", "swapaxes swapdims", sentence="transpose", derivative=_words("axes"), step="axes",
          alike=alike.axes_moved),
    _move("t", "T H", sentence="transpose", derivative={"self": "T(G)"}, step="axes",
          alike=alike.axes_moved),
    _move("mT", "mH adjoint", sentence="transpose", alike=alike.axes_moved),
    _move("permute", sentence="transpose", derivative=_words("axes"), step="axes", alike=alike.axes_moved),
    _move("movedim", "moveaxis", sentence="transpose", alike=alike.axes_moved),
    _move("expand", "expand_as broadcast_to", sentence="expand", derivative=_STRETCHED, step="stretched",
          stretches=True),
    _move("repeat", "tile", sentence="repeat", derivative=_words("stretched")),
    _move("repeat_interleave", sentence="repeat"),
    _join("cat", "concat concatenate", derivative=_words("part", "tensors")),
    _join("stack", sentence="stack", derivative=_words("part", "tensors")),
    _join("hstack"),
    _join("vstack", "row_stack"),
    _join("column_stack"),
    _join("dstack"),
    _split("split", derivative=_JOINED, nodes={"SplitWithSizes": _JOINED, "UnsafeSplit": _JOINED}),
    _split("chunk"),
    _split("unbind", derivative=_JOINED, step="entries"),
    _split("tensor_split"),
    _move("flip", sentence="flip", derivative=_words("axes")),
    _move("fliplr", sentence="flip"),
    _move("flipud", sentence="flip"),
    _move("roll", sentence="flip", derivative=_words("axes")),
    _move("rot90", sentence="flip"),
    Operation("as_strided", derivative=_words("looked-up")),
    _move("triu", sentence="triangle", derivative=_words("taken")),
    _move("tril", sentence="triangle", derivative=_words("taken")),
    _move("diag", "diag_embed", sentence="triangle"),
    _move("diagonal", sentence="triangle", derivative=_words("taken")),
)  # fmt: skip
