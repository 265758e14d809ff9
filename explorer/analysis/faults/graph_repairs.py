"""Repairs on the path from the leaves to the loss: remove cuts, make shapes equal, correct functions."""

import re
from collections.abc import Iterator

from explorer.analysis.errors.expressions import WrittenCall, bracketed, called, operated, postfixed
from explorer.analysis.errors.text_edits import replaced
from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.line_edits import added, changed, dropped, indent_of, moved
from explorer.trace import Span

_LAYER = re.compile(r",\s*(?:torch\.)?nn\.(?:Softmax|Sigmoid)\((?:dim=)?-?\d*\)")
_CUTS = ("item", "detach", "numpy", "tolist", "clone")
_WRAPS = ("torch.tensor", "torch.as_tensor", "torch.Tensor", "float", "torch.from_numpy")


def source_of(facts: Facts, found: Finding) -> str:
    """The text of the cell that a diagnosis names."""
    return facts.trace.cells[found.place.cell].source


def _backward_line(facts: Facts, found: Finding, after: int) -> int:
    """The line of the first backward after a line of the same cell, 0 for none."""
    spans = [facts.trace.spans[call.span] for _, call in facts.calls if call.span >= 0]
    return min((span.line for span in spans if span.cell == found.place.cell and span.line > after), default=0)


def text_at(facts: Facts, place: Span) -> str:
    """The text at a place within one line."""
    return facts.trace.cells[place.cell].lines[place.line - 1][place.column : place.end_column]


def gradient_falsified(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Move the write after the backward that needs the overwritten values; or copy an array's memory."""
    source, at = source_of(facts, found), found.place.line
    back = _backward_line(facts, found, at)
    if back:
        yield moved(source, at, back)
    shared = source.replace("torch.from_numpy(", "torch.tensor(")
    if source.count("torch.from_numpy(") == 1:
        yield shared


def loss_broadcast(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Reshape the (n, 1) tensor to (n,)."""
    source, place = source_of(facts, found), found.place
    code = text_at(facts, place)
    first = str(found.values["first"]).count(",") == 1 and not str(found.values["first"]).endswith(",)")
    column = 0 if first else 1
    pair, call = operated(code), called(code)
    if pair and not call:
        operands = [pair.left, pair.right]
        operands[column] = postfixed(operands[column], ".squeeze(-1)")
        yield replaced(source, place, pair.made(*operands))
    elif call and len(call.arguments) >= 2:
        new = postfixed(call.value(column), ".squeeze(-1)")
        yield replaced(source, place, call.with_argument(column, new))


def gradient_cut(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Use the tensor itself instead of an expression without a path back."""
    source, place = source_of(facts, found), found.place
    if place.end_line != place.line:
        return
    code, lines = text_at(facts, place), source.split("\n")
    call = called(code)
    if call and not call.arguments and call.name in _CUTS:
        yield replaced(source, place, call.receiver)
    if call and call.name == "argmax":
        yield _expected_place(facts, found, call)
    if call and call.head in _WRAPS and call.arguments:
        yield replaced(source, place, bracketed(call.arguments[0]) if is_joined(source, place) else call.arguments[0])
    yield _in_torch(source, place)
    if code.endswith(".data"):
        yield replaced(source, place, code.removesuffix(".data"))
    if call and not call.arguments and call.name in ("int", "long"):
        yield replaced(source, place, call.receiver)
    opener = int(found.values.get("at") or 0)
    if opener and re.fullmatch(r"with [\w.]+\((?:False)?\):", lines[opener - 1].strip()):
        yield _without_block(lines, opener)
    for number, line in enumerate(lines, 1):
        if line.strip() in ("@torch.no_grad()", "@torch.inference_mode()"):
            yield dropped(source, number)


def _expected_place(facts: Facts, found: Finding, call: WrittenCall) -> str | None:
    """The expected position under softmax instead of argmax along the last axis: it has a gradient."""
    inputs = facts.operations.inputs
    read = next(
        (list(inputs[operation]) for operation in range(facts.count) if facts.place(operation) == found.place), []
    )
    shape: tuple[int, ...] = facts.shape(read[0]) if read else ()
    scores, *axes = call.arguments if call.is_function else (call.receiver, *call.arguments)
    last = {f"{sign}{axis}" for axis in (-1, len(shape) - 1) for sign in ("", "dim=", "axis=")}
    if not shape or len(axes) != 1 or axes[0].replace(" ", "") not in last:
        return None
    expected = f"{postfixed(scores, '.softmax(-1)')} @ torch.arange({shape[-1]}.0)"
    return replaced(source_of(facts, found), found.place, bracketed(expected))


def _in_torch(source: str, place: Span) -> str | None:
    """torch.exp(w) instead of torch.from_numpy(np.exp(w.detach().numpy())), if the line assigns only that."""
    line = source.split("\n")[place.line - 1]
    begin = line.find("torch.from_numpy(")
    outer = called(line[begin:].rstrip()) if begin >= 0 else None
    middle = called(outer.arguments[0]) if outer is not None and len(outer.arguments) == 1 else None
    if middle is None or not middle.head.startswith(("np.", "numpy.")) or len(middle.arguments) != 1:
        return None
    inner = middle.arguments[0].removesuffix(".numpy()").removesuffix(".detach()")
    lines = source.split("\n")
    lines[place.line - 1] = f"{line[:begin]}torch.{middle.name}({inner})"
    return "\n".join(lines)


def is_joined(source: str, place: Span) -> bool:
    """Whether an operator or a dot is next to a place."""
    line = source.split("\n")[place.line - 1]
    around = line[: place.column].rstrip()[-1:] + line[place.end_column :].lstrip()[:1]
    return any(character in "+-*/%@.&|^" for character in around)


def _without_block(lines: list[str], opener: int) -> str:
    """Replace a block by its body."""
    indent = len(indent_of(lines[opener - 1]))
    end = opener
    while end < len(lines) and (not lines[end].strip() or len(indent_of(lines[end])) > indent):
        end += 1
    body = lines[opener:end]
    step = min((len(indent_of(line)) for line in body if line.strip()), default=indent) - indent
    return "\n".join([*lines[: opener - 1], *(line[step:] if line.strip() else line for line in body), *lines[end:]])


def root_is_leaf(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Remove the line that makes the result a leaf; or use the result itself."""
    source, place = source_of(facts, found), found.place
    line = source.split("\n")[place.line - 1]
    wrapped = re.fullmatch(r"\s*(\w+)\s*=\s*\w+(?:\.\w+)*\(\s*(\w+)\b.*", line)
    asked = re.fullmatch(r"\s*\w+\.requires_grad_\(.*\)\s*", line)
    if asked or (wrapped and wrapped[1] == wrapped[2]):
        yield dropped(source, place.line)
    call = called(text_at(facts, place)) if place.end_line == place.line else None
    if call and call.arguments:
        inner = call.arguments[0].removesuffix(".item()").removesuffix(".detach()").removesuffix(".data")
        yield replaced(source, place, inner)


def asked_too_late(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Move the line after the one that makes the tensor."""
    source, at = source_of(facts, found), found.place.line
    made = facts.places.get(found.tensor)
    if made is not None and made.cell == found.place.cell and made.end_line < at:
        yield moved(source, at, made.end_line)


def grad_of_result(facts: Facts, found: Finding) -> Iterator[str | None]:
    """retain_grad after the line that makes the tensor."""
    source, name = source_of(facts, found), str(found.values["name"])
    made = facts.places.get(found.tensor)
    if made is not None and made.cell == found.place.cell and name.isidentifier():
        yield added(source, made.end_line, f"{name}.retain_grad()")


def probabilities_as_scores(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Pass the scores themselves; or use the loss for probabilities."""
    source, made = source_of(facts, found), str(found.values["made"])
    call = called(made)
    if call and source.count(made) == 1:
        if call.is_function and call.arguments:
            yield source.replace(made, call.arguments[0])
        elif call.receiver and call.name in ("softmax", "sigmoid"):
            yield source.replace(made, call.receiver)
    layers = list(_LAYER.finditer(source))
    if len(layers) == 1:
        yield source[: layers[0].start()] + source[layers[0].end() :]
    lines, at = source.split("\n"), found.place.line
    for loss, other in (
        ("BCEWithLogitsLoss", "BCELoss"),
        ("binary_cross_entropy_with_logits", "binary_cross_entropy"),
    ):
        if lines[at - 1].count(loss) == 1:
            yield changed(source, at, lines[at - 1].replace(loss, other).strip())
        elif source.count(f"{loss}()") == 1:
            yield source.replace(f"{loss}()", f"{other}()")


def not_log_probabilities(facts: Facts, found: Finding) -> Iterator[str | None]:
    """log_softmax instead of softmax; over the classes; cross_entropy instead of nll_loss."""
    source = source_of(facts, found)
    if "log_softmax" not in source:
        for written, other in (("softmax(", "log_softmax("), ("Softmax(", "LogSoftmax(")):
            if source.count(written) == 1:
                yield source.replace(written, other)
    for written in ("dim=0", "dim=-2"):
        if source.count(written) == 1:
            yield source.replace(written, "dim=1")
    for written, other in (("nll_loss", "cross_entropy"), ("NLLLoss", "CrossEntropyLoss")):
        if source.count(written) == 1:
            yield source.replace(written, other)


def shuffled_apart(facts: Facts, found: Finding) -> Iterator[str | None]:
    """One permutation for both, made before the first use."""
    source = source_of(facts, found)
    name = next(candidate for candidate in ("order", "shuffled", "rows_in_order") if candidate not in source)
    first = re.search(r"torch\.randperm\([^()]*(?:\([^()]*\))?[^()]*\)", str(found.values["first"]))
    second = re.search(r"torch\.randperm\([^()]*(?:\([^()]*\))?[^()]*\)", str(found.values["second"]))
    if not first or not second:
        return
    lines = source.split("\n")
    at = next((i for i, line in enumerate(lines, 1) if str(found.values["first"]) in line), 0)
    if at and at <= found.place.line:
        made = f"{indent_of(lines[at - 1])}{name} = {first[0]}"
        lines[at - 1] = lines[at - 1].replace(first[0], name)
        lines[found.place.line - 1] = lines[found.place.line - 1].replace(second[0], name)
        yield "\n".join([*lines[: at - 1], made, *lines[at - 1 :]])


def truncated(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Make the tensor one of floats."""
    source, made = source_of(facts, found), facts.places.get(found.tensor)
    if made is None or made.cell != found.place.cell or made.line != made.end_line:
        return
    code = text_at(facts, made)
    whole = code
    for dtype in ("torch.long", "torch.int64", "torch.int32", "torch.int"):
        whole = re.sub(rf"{re.escape(dtype)}\b", "torch.float32", whole)
    yield replaced(source, made, whole)
    call = called(code)
    if call and not any(argument.startswith("dtype") for argument in call.arguments):
        yield replaced(source, made, call.with_arguments(*call.arguments, "dtype=torch.float32"))


def float_equality(facts: Facts, found: Finding) -> Iterator[str | None]:
    """torch.isclose instead of ==."""
    source, place = source_of(facts, found), found.place
    pair = operated(text_at(facts, place)) if place.line == place.end_line else None
    if pair and pair.operator == "==":
        yield replaced(source, place, f"torch.isclose({pair.left}, {pair.right})")


def quotient_lost(facts: Facts, found: Finding) -> Iterator[str | None]:
    """A larger h."""
    source = source_of(facts, found)
    for written in re.finditer(r"(?m)^(\s*\w+\s*=\s*)(1e-\d+|0?\.0+1)(?=\s*(?:#.*)?$)", source):
        if float(written[2]) == float(str(found.values["h"])):
            yield source[: written.start(2)] + "1e-3" + source[written.end(2) :]


CHANGES = {
    "gradient_falsified": gradient_falsified,
    "loss_broadcast": loss_broadcast,
    "gradient_cut": gradient_cut,
    "root_is_leaf": root_is_leaf,
    "asked_too_late": asked_too_late,
    "grad_of_result": grad_of_result,
    "probabilities_as_scores": probabilities_as_scores,
    "not_log_probabilities": not_log_probabilities,
    "shuffled_apart": shuffled_apart,
    "truncated": truncated,
    "float_equality": float_equality,
    "quotient_lost": quotient_lost,
}
