"""The program's names for tensors and results of a run.

Belongs here: names and program texts that represent a tensor in a sentence. Does not belong here: lines and places
(run), whole sentences (text).
"""

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

from explorer.analysis.run.model import Run, one_line
from explorer.analysis.run.objects import assigned_name
from explorer.text import say
from explorer.trace import Backward, Binding
from explorer.trace.index import names_in

SHARED = 8  # most paths shown per parameter
NAMED = 4  # most named results of one call
_LOOKED_AT = 2_000  # most names searched for a similar one


def name_of(run: Run, tensor: int, at: int | None = None, text: str | None = None) -> str:
    """Return a tensor's name as its reader sees it, else as assigned, or "".

    A function argument has the caller's name and the function's. The operation's text decides.
    """
    index = run.trace.index
    bindings = index.bindings.get(tensor)
    if not bindings:
        return ""
    if at is not None:
        near, words = index.near(tensor, at), names_in(one_line(run.text(at)) if text is None else text)
        live = [b for b in near if b.start <= at and not 0 <= b.until < at] or [b for b in near if not b.call]
        return next((b.name for b in live if b.name in words), "") or (assigned_name(live) if live else "")
    name = index.memoize(("name", tensor), lambda: assigned_name(bindings))
    # A list of a module's parameters, or a loop over them.
    passing = name.endswith("]") or ("." not in name and all(binding.span < 0 for binding in bindings))
    if passing and run.trace.tensors.is_parameter[tensor]:
        return next((binding.name for binding in bindings if "." in binding.name), name)
    if name in index.memoize(("shared names",), lambda: _shared_names(run)):  # a loop created the leaves in turn
        return next((b.name for b in bindings if b.until < 0 and b.name.endswith("]")), name)
    return name


def _shared_names(run: Run) -> set[str]:
    """Return the names that assignments gave to several leaves."""
    bindings = run.trace.index.bindings
    counts = Counter(assigned_name(bindings[leaf]) for leaf in run.leaves if leaf in bindings)
    return {name for name, count in counts.items() if count > 1}


def model_of(path: str) -> str:
    """Return the model's name in a path of a module or parameter, such as net.0.weight."""
    return path.partition(".")[0].partition("[")[0] or "model"


def names_of(run: Run, tensor: int) -> tuple[str, ...]:
    """Return a parameter's names: all paths if modules share it, otherwise its name."""
    bindings = run.trace.index.bindings.get(tensor, ()) if run.trace.tensors.is_parameter[tensor] else ()
    paths = dict.fromkeys(binding.name for binding in bindings if "." in binding.name)
    return tuple(paths)[:SHARED] or tuple(filter(None, (name_of(run, tensor),)))


def word_of(run: Run, tensor: int, at: int | None = None, text: str | None = None) -> str:
    """Return a tensor's name, otherwise the text that created it, or "".

    Inside a call with several operations, such as a module's, the text is that of the call's result. A value between
    them is named by its operation: layer_norm(…).
    """
    maker, spans = run.trace.maker(tensor), run.operations.span
    if name := name_of(run, tensor, at, text):
        return name
    if maker >= 0 and at is not None and 0 <= at < run.count and maker < at and spans[maker] == spans[at] >= 0:
        return f"{run.names[maker]}(…)"
    return one_line(run.text(maker))


def result_of(run: Run, operation: int) -> str:
    """Return the names bound to an operation's outputs as the whole assigned value.

    "" if the first of several has none, because the call's main result continued without a name.
    """
    return run.trace.index.memoize(("result", operation), lambda: _result(run, operation))


def _result(run: Run, operation: int) -> str:
    span, bound = run.operations.span[operation], dict[str, None]()
    for tensor in run.operations.outputs[operation]:
        near = run.trace.index.near(tensor, operation)
        bindings = [b for b in near if b.start >= operation and _is_whole(run, b, span)]
        if bindings:
            bound[min(bindings, key=lambda b: (b.span != span, b.span < 0, b.start)).name] = None
        if not bound or len(bound) > NAMED:
            break
    names = list(bound)
    return ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")


def _is_whole(run: Run, binding: Binding, span: int) -> bool:
    """Return whether an operation is the whole right side of the assignment."""
    if span < 0 or span == binding.span:
        return True
    if binding.span < 0:
        return "." not in binding.name and not (binding.call and _is_taken(run, binding))
    return not run.trace.spans[binding.span].contains(run.trace.spans[span])


def _is_taken(run: Run, argument: Binding) -> bool:
    """Return whether the caller has another tensor with an argument's name."""
    named = run.trace.index.memoize(("by name",), lambda: _by_name(run))[argument.name]
    others = (other for other in named if other.tensor != argument.tensor and other.call != argument.call)
    return any(other.start <= argument.start and not 0 <= other.until < argument.start for other in others)


def _by_name(run: Run) -> dict[str, list[Binding]]:
    named: dict[str, list[Binding]] = {}
    for binding in run.trace.bindings:
        named.setdefault(binding.name, []).append(binding)
    return named


def library_call(run: Run, operation: int) -> str:
    """Write a library operation outside modules with the program's operand: div(loss).

    A trainer divides the returned loss on the line that started the training. "" for other operations, for several
    inputs with history, and if the program's own line created the input.
    """
    trace, operations = run.trace, run.operations
    if operation < 0 or operations.frames[operation] < 0 or operations.module[operation] >= 0:
        return ""
    inputs = [tensor for tensor in operations.inputs[operation] if trace.tensors.requires_grad[tensor]]
    maker = trace.versions.operation[trace.versions_of(inputs[0])[0]] if len(inputs) == 1 else -1
    if not 0 <= maker < operation:
        return ""
    same = operations.span[maker] == operations.span[operation]
    given = library_call(run, maker) if same else result_of(run, maker) or one_line(run.text(maker))
    return f"{trace.strings[operations.name[operation]]}({given})" if given else ""


def hidden_in(run: Run, tensor: int) -> tuple[str, str]:
    """Return a library's internal operation with its call: detach(x), functional.hessian(f, x).

    ("", "") for a named tensor, and for the result of the call.
    """
    maker = run.trace.maker(tensor)
    if maker < 0 or tensor in run.trace.index.bindings or not is_step(run, maker):
        return "", ""
    inputs = run.operations.inputs[maker]
    given = word_of(run, inputs[0], maker) if inputs else ""
    return f"{run.names[maker]}({given or '…'})", one_line(run.text(maker))


def is_step(run: Run, operation: int) -> bool:
    """Return whether a library's call ran other operations too."""
    operations = run.operations
    place = operations.span[operation], tuple(operations.iteration[operation])
    return place[0] >= 0 and operation < run.trace.index.memoize(("composed",), lambda: _composed(run)).get(place, -1)


def _composed(run: Run) -> dict[tuple[int, tuple[int, ...]], int]:
    """Map (place, round) of calls with different operations to the last of them."""
    operations, kinds = run.operations, dict[tuple[int, tuple[int, ...]], tuple[int, int]]()
    last = {}
    for at, span in enumerate(operations.span):
        place, kind = (span, tuple(operations.iteration[at])), (operations.module[at], operations.name[at])
        if kinds.setdefault(place, kind) != kind or place in last:
            last[place] = at
    return last


def loss_of(run: Run, call: Backward) -> str:
    """Return a backward's first root if a library derived it."""
    versions, tensor = run.trace.versions, call.root_tensors[0] if call.root_tensors else -1
    return library_call(run, versions.operation[run.trace.versions_of(tensor)[0]]) if tensor >= 0 else ""


def common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the common prefix of paths.

    >>> common_path([("net", "0", "weight"), ("net", "1", "bias"), ("net", "0", "bias")])
    ('net',)
    """
    first, last = min(paths), max(paths)  # a prefix common to the extremes of an order is common to all
    same = [a == b for a, b in zip(first, last, strict=False)]
    return first[: same.index(False) if False in same else len(same)]


class UnknownTensor(KeyError):
    """Raised if no tensor has the given name. Suggests a similar name."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown(
    name: str, names: Sequence[str], lang: str = "en", message: str = "why-unknown-name", owners: Sequence[str] = ()
) -> UnknownTensor:
    """Return the error for an unknown tensor or module, with a similar known name.

    Args: owners: names in several models that end in this one.
    """
    if owners:
        return UnknownTensor(say(lang, "api-several-models", name=name, names=", ".join(owners[:NAMED])))
    near = next(iter(get_close_matches(name, names[:_LOOKED_AT], 1, 0.6)), "")
    return UnknownTensor(say(lang, message, name=name, near=near, has="yes" if near else "no"))
