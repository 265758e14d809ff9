"""Repairs of a training loop: what is cleared, updated and stepped, and when."""

import re
from collections.abc import Iterator

from explorer.analysis.errors.expressions import called
from explorer.analysis.errors.text_edits import replaced
from explorer.analysis.faults.facts import Facts
from explorer.analysis.faults.finding import Finding
from explorer.analysis.faults.graph_repairs import source_of
from explorer.analysis.faults.line_edits import added, changed, dropped, indent_of, moved, moved_before
from explorer.trace import Span

_STEP = re.compile(r"\s*([\w.]+)\.step\(\)\s*(?:#.*)?")
_ZERO = re.compile(r"\s*[\w.]+\.zero_grad\(.*\)\s*(?:#.*)?")
_BACKWARD = re.compile(r"\s*[^#]*\.backward\(")
_OPTIMIZER = re.compile(r"\s*([\w.]+)\s*=\s*(?:\w+\.)*[A-Z]\w*\(.*\)\s*(?:#.*)?")
_COPIED = re.compile(r"(?:copy\.)?deepcopy\(([\w.\[\]]+)\)")
_LIST = re.compile(r"\(\s*\[([^\[\]]*)\]")
_UPDATE = re.compile(r"\s*([\w.]+)\s*=\s*([\w.]+)\s*([-+])\s*(.+)")
_RATE = re.compile(r"(?<![\w.])(\d*\.\d+|\d+(?:\.\d*)?(?:e-?\d+)?)(?=\s*\*)|(?<=lr=)(\d*\.\d+)")


def _lines(facts: Facts, found: Finding) -> list[str]:
    return source_of(facts, found).split("\n")


def not_called(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Add the brackets after the name."""
    source, place = source_of(facts, found), found.place
    code = str(found.values["code"])
    line = source.split("\n")[place.line - 1]
    at = line.find(code)
    if at >= 0:
        end = at + len(code)
        yield replaced(source, Span(place.cell, place.line, at, place.line, end), f"{code}()")


def gradient_stale(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Clear the gradient after the update, or the optimizer's before it."""
    source, lines, at = source_of(facts, found), _lines(facts, found), found.place.line
    stepped = _STEP.fullmatch(lines[at - 1])
    if stepped:
        yield added(source, at, f"{stepped[1]}.zero_grad()")
        return
    updated = plain_name(lines[at - 1])
    if updated:
        yield added(source, at, f"{updated}.grad = None")


def plain_name(line: str) -> str:
    """The name that a line updates."""
    target = line.split("=")[0].strip().rstrip("-+*/").strip().removesuffix(".data")
    target = target.partition(".sub_(")[0].partition(".add_(")[0].removesuffix(".data")
    return target if target.replace(".", "_").replace("[", "_").replace("]", "_").isidentifier() else ""


def step_without_gradient(facts: Facts, found: Finding) -> Iterator[str | None]:
    """zero_grad before backward; or the right parameters before the optimizer is made."""
    source, lines, at = source_of(facts, found), _lines(facts, found), found.place.line
    back = next((i for i in range(at - 1, 0, -1) if _BACKWARD.match(lines[i - 1])), 0)
    zero = next((i for i in range(at - 1, back, -1) if _ZERO.fullmatch(lines[i - 1])), 0) if back else 0
    if zero:
        yield moved_before(source, zero, back)
    stepped = _STEP.fullmatch(lines[at - 1])
    made = [
        i for i, line in enumerate(lines, 1) if stepped and (m := _OPTIMIZER.fullmatch(line)) and m[1] == stepped[1]
    ]
    if len(made) == 1:
        for copied in _COPIED.finditer(lines[made[0] - 1]):
            line = lines[made[0] - 1]
            yield changed(source, made[0], f"{line[: copied.start()]}{copied[1]}{line[copied.end() :]}".strip())
        for i in range(made[0] + 1, at):
            target, equals, _ = lines[i - 1].partition("=")
            if equals and target.strip() and target.strip() in lines[made[0] - 1]:
                yield moved(source, made[0], i)


def not_in_optimizer(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Add the name to the optimizer's list; turn a list of layers into a ModuleList."""
    source, lines = source_of(facts, found), _lines(facts, found)
    name = str(found.values["name"])
    line = lines[found.place.line - 1]
    held = re.search(r"=\s*(\[.*\])\s*$", line)
    if "self." in line and held:
        yield changed(source, found.place.line, f"{line[: held.start(1)].strip()} nn.ModuleList({held[1]})")
    for number, text in enumerate(lines, 1):
        listed = _LIST.search(text)
        if _OPTIMIZER.fullmatch(text) and listed and name.isidentifier():
            yield changed(source, number, f"{text[: listed.end(1)]}, {name}{text[listed.end(1) :]}".strip())


def never_used(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Make the optimizer after the line that replaces part of its model; or remove the line that makes unused
    parameters.
    """
    source, lines = source_of(facts, found), _lines(facts, found)
    line = lines[found.place.line - 1]
    made = [i for i, text in enumerate(lines, 1) if _OPTIMIZER.fullmatch(text) and ".parameters()" in text]
    for i in range(made[0] + 1, len(lines) + 1) if len(made) == 1 else ():
        part = re.match(r"(\w+)[.\[][^=()]*=[^=]", lines[i - 1])
        if part and f"{part[1]}.parameters()" in lines[made[0] - 1]:
            yield moved(source, made[0], i)
    target = line.partition("=")[0].strip()
    last = target.rpartition(".")[2]
    if last.isidentifier() and len(re.findall(rf"\b{last}\b", source)) == 1:
        yield dropped(source, found.place.line)


def rebound(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Update in place under no_grad, and clear the gradient after it."""
    source, lines, at = source_of(facts, found), _lines(facts, found), found.place.line
    written = _UPDATE.fullmatch(lines[at - 1])
    if not written or written[1] != written[2]:
        return
    name, update = written[1], f"{written[1]} {written[3]}= {written[4]}"
    inside = not any(facts.operations.grad_enabled[operation] for operation in _operations_at(facts, found.place))
    if inside:
        yield changed(source, at, update)
        yield added(changed(source, at, update), at, f"{name}.grad = None")
    else:
        block = changed(source, at, "with torch.no_grad():")
        block = added(block, at, f"    {update}")
        yield added(block, at + 1, f"{name}.grad = None", indent_of(lines[at - 1]))


def _operations_at(facts: Facts, place: Span) -> list[int]:
    return [operation for operation in range(facts.count) if facts.place(operation) == place]


def wrong_mode(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Set the mode before the line, or before its block."""
    source, lines, at = source_of(facts, found), _lines(facts, found), found.place.line
    call = called(str(found.values["code"]))
    if call is None or not call.head.replace(".", "_").isidentifier():
        return
    mode = "eval" if found.values["mode"] == "training" else "train"
    opener = at - 1
    if mode == "eval" and opener and "no_grad" in lines[opener - 1]:
        yield added(source, opener - 1, f"{call.head}.{mode}()", indent_of(lines[opener - 1]))
    yield added(source, at - 1, f"{call.head}.{mode}()", indent_of(lines[at - 1]))


def loss_grows(facts: Facts, found: Finding) -> Iterator[str | None]:
    """The other sign; or a smaller rate, by powers of ten."""
    source, at = source_of(facts, found), found.place.line
    line = _lines(facts, found)[at - 1]
    if found.values["uphill"] == "True":
        for sign, other in (("+=", "-="), (".add_(", ".sub_(")):
            if line.count(sign) == 1:
                yield changed(source, at, line.replace(sign, other).strip())
        return
    lines = [at, *(i for i, other in enumerate(source.split("\n"), 1) if "lr=" in other)]
    for number in lines:
        text = source.split("\n")[number - 1]
        rates = list(_RATE.finditer(text))
        if len(rates) == 1:
            rate = rates[0]
            for factor in (10, 100):
                new = f"{float(rate[0]) / factor:g}"
                yield changed(source, number, f"{text[: rate.start()]}{new}{text[rate.end() :]}".strip())


def graph_kept(facts: Facts, found: Finding) -> Iterator[str | None]:
    """A number instead of the loss where it is added or listed."""
    source, lines, at = source_of(facts, found), _lines(facts, found), found.place.line
    total = re.fullmatch(r"\s*([\w.]+)\s*(?:\+=|=\s*\1\s*\+)\s*([\w.]+)\s*", lines[at - 1])
    if total:
        head = lines[at - 1][: len(lines[at - 1].rstrip()) - len(total[2])]
        yield changed(source, at, f"{head}{total[2]}.item()".strip())
    for number, line in enumerate(lines, 1):
        listed = re.fullmatch(r"\s*([\w.]+)\.append\(([\w.]+)\)\s*", line)
        if listed and listed[1] in lines[at - 1]:
            yield changed(source, number, f"{listed[1]}.append({listed[2]}.item())")


def symmetric(facts: Facts, found: Finding) -> Iterator[str | None]:
    """Random numbers instead of one number."""
    source, at = source_of(facts, found), found.place.line
    line = _lines(facts, found)[at - 1]
    filled = re.fullmatch(r"\s*((?:\w+\.)*)init\.(?:constant_|ones_|zeros_)\(([\w.\[\]]+).*\)\s*", line)
    if filled:
        yield changed(source, at, f"{filled[1]}init.xavier_uniform_({filled[2]})")
    for function in ("ones", "zeros"):
        if line.count(f"torch.{function}(") == 1:
            yield changed(source, at, line.replace(f"torch.{function}(", "torch.randn(").strip())


CHANGES = {
    "not_called": not_called,
    "gradient_stale": gradient_stale,
    "step_without_gradient": step_without_gradient,
    "not_in_optimizer": not_in_optimizer,
    "never_used": never_used,
    "leaf_rebound": rebound,
    "update_lost": rebound,
    "wrong_mode": wrong_mode,
    "loss_grows": loss_grows,
    "graph_kept": graph_kept,
    "symmetric": symmetric,
}
