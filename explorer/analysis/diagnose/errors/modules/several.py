"""Calls with several results or none, and states of recurrent layers."""

import ast
from collections.abc import Iterator

from explorer.analysis.diagnose.errors.evidence import FIRST_IS_WANTED, LOADER, LSTM, RECURRENT, Evidence
from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.operations import RECURRENT as RECURRENT_OPERATIONS
from explorer.analysis.run.source.definitions import classes, methods, returns, yields
from explorer.analysis.run.source.expressions import replace_word, shorten_code
from explorer.trace.scene import Thing

RULES = Rules()


@RULES.rule(r"RuntimeError: Expected hidden(?:\[\d\])? size \((?P<wanted>.*?)\), got \[(?P<given>.*?)\]")
def state_size(at: FailureContext) -> Explanation:
    """Explain a hidden state with a wrong batch size or hidden size."""
    wanted, given = ([size.strip() for size in at[group].split(",")] for group in ("wanted", "given"))
    if len(wanted) == len(given) == 3 and wanted[::2] == given[::2]:
        looped = any(part.where and not part.made for part in at.given)
        kind = "recurrent-state-of-another-batch" if looped else "recurrent-batch"
        return at.explain(kind, batch=wanted[1], made=given[1])
    return at.explain("recurrent-hidden-size")


@RULES.rule(r"IndexError: index 1 is out of bounds for dimension 0 with size 1")
def state_without_cell(at: FailureContext) -> Explanation | None:
    """Explain an LSTM with a single state instead of a pair."""
    if at.callee is None or not at.callee.thing.is_a(LSTM) or len(at.given) != 2:
        return None
    return at.explain("lstm-state-alone", layer=shorten_code(at.callee.text), state=shorten_code(at.given[1].text))


def _is_pair(thing: Thing) -> bool:
    return thing.type.startswith("return_types.")


@RULES.rule(r"AttributeError|TypeError: torch\.return_types\.(?P<function>\w+)")
def result_is_a_pair(at: FailureContext) -> Explanation | None:
    """Explain a pair of entries and positions used as a tensor."""
    if pair := next((part for part in at.used if _is_pair(part.thing)), None):
        return at.explain(
            "reduction-gives-two", made=shorten_code(pair.made or pair.text), name=shorten_code(pair.text)
        )
    made = [i for i, name in enumerate(at.run.names) if name == at["function"] and at.trace.operations.span[i] >= 0]
    text = shorten_code(at.written(made[-1])) if made else ""
    return at.explain("reduction-gives-two", made=text, name=text) if made else None


def _results(at: FailureContext) -> Iterator[tuple[str, Evidence, Evidence]]:
    """Yield each call whose result the failing expression uses: code, callee, and the part with the result."""
    for used in at.used:
        if maker := used.first("maker"):
            yield used.made, maker, used
        elif (callee := used.callee) and (used.index > 0 or used.of.span != at.failure.span):
            yield used.text, callee, used


@RULES.rule(r"TypeError|AttributeError: \btuple\b")
def result_is_a_tuple(at: FailureContext) -> Explanation | None:
    """Explain a recurrent layer's (output, state) used as a tensor."""
    for text, layer, used in _results(at):
        if layer.thing.is_a(*RECURRENT) and used.thing.type in ("", "tuple"):
            old = text if layer.of.role == "callee" else used.text
            new = (
                replace_word(at.code, old, f"{old}[0]") if old.isidentifier() else at.code.replace(old, f"{old}[0]", 1)
            )
            return at.explain("recurrent-gives-two", new, layer=shorten_code(layer.text))
    layer_inside = _last_layer(at) if any("Sequential" in one.type for one in at.running) else ""
    return at.explain("recurrent-gives-two-inside", layer=shorten_code(layer_inside)) if layer_inside else None


def _last_layer(at: FailureContext) -> str:
    """Return the name of the last layer that returned, if recurrent."""
    operations = at.trace.operations
    for i in reversed(range(len(operations))):
        recurrent = at.run.names[i] in RECURRENT_OPERATIONS
        if operations.outputs[i] and (operations.module[i] >= 0 or recurrent):
            return (at.trace.string(operations.module[i]) or at.written(i)) if recurrent else ""
    return ""


@RULES.rule(r"TypeError|AttributeError: \btuple\b|multiply sequence")
def tuple_as_tensor(at: FailureContext) -> Explanation | None:
    """Explain a name or call with several tensors, used as a tensor."""
    tuples = [part for part in at.used if part.thing.type == "tuple" and part.thing.holds_tensors]
    if len({part.text for part in tuples}) == 1:
        return _held(at, tuples[0])
    results = {text: layer for text, layer, _ in _results(at) if _gives_several(layer)}
    if tuples or len(results) != 1:
        return None
    ((call, layer),) = results.items()
    return at.explain("call-gives-several", call=shorten_code(call), layer=layer.thing.type)


def _held(at: FailureContext, part: Evidence) -> Explanation:
    """Return a tuple's items and the line that named it."""
    scalars = "backward" in at.failure.text and all(entry == "()" for entry in part.thing.entries)
    values: dict[str, str | int] = {"name": part.text, "count": part.thing.count, "parts": _entries(part.thing)}
    values |= {"where": part.where, "made": shorten_code(part.made)}
    return at.explain("loss-is-a-tuple" if scalars else "tuple-for-one-tensor", **values)


def _entries(thing: Thing) -> str:
    """Write the items of a collection for a sentence."""
    return ", ".join([*thing.entries, "…"] if thing.count > len(thing.entries) else thing.entries)


def _gives_several(layer: Evidence) -> bool:
    """Return whether a call returns a tuple."""
    results = returns(layer.function) if layer.function else []
    own = bool(results) and all(isinstance(one, ast.Tuple) for one in results)
    return own or layer.thing.is_a(*FIRST_IS_WANTED)


@RULES.rule(r"TypeError: must be Tensor, not (list|dict)\b|invalid combination of arguments - got \((list|dict)\b")
def batch_as_tensor(at: FailureContext) -> Explanation | None:
    """Explain a whole batch of a DataLoader used as a tensor."""
    kind = at.found[1] or at.found[2]
    batches = [part for part in at.given if part.thing.type == kind and part.thing.entries]
    if len(batches) != 1:
        return None
    batch = batches[0].thing
    values: dict[str, str | int] = {"name": batches[0].text, "parts": _entries(batch)}
    if kind == "dict":
        return at.explain("dict-for-one-tensor", **values, key=batch.entries[0])
    if not batches[0].where or batches[0].made or not batch.holds_tensors:  # assigned by a loop, not by a statement
        return None
    return at.explain("batch-for-one-tensor", **values, count=batch.count, where=batches[0].where)


@RULES.rule(r"AttributeError: '(?:collections\.)?OrderedDict' object has no attribute '(?P<method>\w+)'")
def state_as_module(at: FailureContext) -> Explanation | None:
    """Explain a state_dict used as the module that it was saved from."""
    states = (part for part in at.used if part.thing.is_a("collections.OrderedDict") and part.made)
    state = next((part for part in states if part.thing.item in ("Tensor", "Parameter")), None)
    if state is None:
        return None
    return at.explain("state-dict-as-module", name=state.text, where=state.where, made=shorten_code(state.made))


@RULES.rule(r"TypeError: '(?P<type>\w+)' object is not an iterator")
def not_an_iterator(at: FailureContext) -> Explanation:
    """Explain next() of an iterable that is not an iterator, such as a DataLoader."""
    called = at.callee is not None and at.callee.thing.is_a("builtins.next")
    written = at.given[0].text if called and at.given else "..."
    return at.explain("next-without-iter", right=shorten_code(f"next(iter({written}))"))


@RULES.rule(r"TypeError: 'Tensor' object is not callable")
def name_of_result(at: FailureContext) -> Explanation | None:
    """Explain a module's or function's name that was reassigned to its result."""
    maker = at.callee.first("maker") if at.callee else None
    if maker is None or maker.text != at.callee.text:
        return None
    where, made = at.callee.where, shorten_code(at.callee.made)
    return at.explain("name-given-to-result", name=maker.text, where=where, made=made)


@RULES.rule(r"AttributeError: 'bool' object has no attribute '(\w+)'")
def pair_compared(at: FailureContext) -> Explanation | None:
    """Explain comparing the pair from max(dim) with a tensor."""
    pair = next((part for part in at.parts if part.of.role == "operand" and _is_pair(part.thing)), None)
    if pair is None:
        return None
    return at.explain("pair-compared", name=pair.text, made=shorten_code(pair.made), where=pair.where)


@RULES.rule(r"TypeError|AttributeError: None(?:Type)?\b")
def nothing_returned(at: FailureContext) -> Explanation | None:
    """Explain None from a module or function without a return."""
    for _, called, used in _results(at):
        function = called.function if used.thing.type in ("", "NoneType") else None
        if function is None or returns(function) or yields(function):
            continue
        last = shorten_code(ast.unparse(function.body[-1])) or "none"
        owner = f"{called.thing.type}." if function.name == "forward" and called.thing.type else ""
        return at.explain("nothing-returned", function=f"{owner}{function.name}", where=function.lineno, last=last)
    return None


@RULES.rule(
    r"TypeError: object of type 'NoneType' has no len\(\)|default_collate: batch must contain .*NoneType"
    r"|'NoneType' object is not (?:iterable|subscriptable)"
)
def example_is_none(at: FailureContext) -> Explanation | None:
    """Explain a `__getitem__` that returns None for some index."""
    owners = [name for name, one in classes(at.trace).items() if "__getitem__" in methods(one)]
    if len(owners) != 1 or not any(one.is_a(LOADER) for one in at.running):
        return None
    return at.explain("example-is-none", **{"class": owners[0]})
