"""Possible fixes by kind, built from the Trace's places. Running shows whether one helps.

Each function takes the site of a diagnosis and yields changes of its cell, the best first, or none if no change is
likely.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from explorer.analysis.diagnose.faults.finding import Finding
from explorer.analysis.run.model import Run
from explorer.analysis.run.operations import CASTS, operation_of
from explorer.analysis.run.source.code import Code, Repair
from explorer.analysis.run.source.expressions import WrittenCall, bracketed, parse_call, with_suffix

MOST = 3  # most changes tried for one diagnosis
LONGEST = 100_000  # longest cell that is changed, in characters
_TINY = "1e-8"
LONGEST_LINE = 400
_BRACKETS = 20  # lines searched for the end of a call
_METHOD = re.compile(r"\s*def \w+\(\s*(\w+)")
_LAYER = re.compile(r",\s*(?:\w+\.)*(?:Softmax|Sigmoid)\((?:dim=)?-?\d*\)")
_PERMUTED = re.compile(r"torch\.randperm\([^()]*(?:\([^()]*\))?[^()]*\)")
_STEP = re.compile(r"\s*([\w.]+)\.step\(\)\s*(?:#.*)?")
_ZERO = re.compile(r"\s*[\w.]+\.zero_grad\(.*\)\s*(?:#.*)?")
_BACKWARD = re.compile(r"\s*[^#]*\.backward\(")
_OPTIMIZER = re.compile(r"\s*([\w.]+)\s*=\s*(?:\w+\.)*[A-Z]\w*\(.*\)\s*(?:#.*)?")
_COPIED = re.compile(r"(?:copy\.)?deepcopy\(([\w.\[\]]+)\)")
_UPDATE = re.compile(r"\s*([\w.]+)\s*=\s*([\w.]+)\s*([-+])\s*(.+)")
_FILLED = re.compile(r"\s*((?:\w+\.)*)init\.(?:constant_|ones_|zeros_)\(([\w.\[\]]+).*\)\s*")
_CUTS = ("item", "detach", "numpy", "tolist", "clone")
_APPENDED = re.compile(r"\s*([^\s()]+)\.append\(")
_NUMBER = r"(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
_DESCENT = re.compile(rf"-= *({_NUMBER[1:-1]}|[^\W\d][\w.]*) *\*")
_WRAPS = ("torch.tensor", "torch.as_tensor", "torch.Tensor", "float", "torch.from_numpy")


@dataclass(frozen=True)
class FixSite(Code):
    """The code at a diagnosis of a run."""

    run: Run
    found: Finding

    @property
    def inner(self) -> str:
        """The call's main operand, "" if there is none."""
        return self.call.subject if self.call is not None else ""

    @property
    def is_joined(self) -> bool:
        """Return whether an operator or a dot is next to the place."""
        around = self.before.rstrip()[-1:] + self.after.lstrip()[:1]
        return any(character in "+-*/%@.&|^" for character in around)

    def value(self, name: str) -> str:
        """Return a value of the diagnosis."""
        return str(self.found.values[name])

    def with_inner(self, new: str) -> Repair | None:
        """Replace the call's main operand."""
        code = self.call.with_subject(new) if self.call is not None else None
        return self.replace(code) if code else None

    def made_at(self) -> Code | None:
        """Return the line that made the diagnosed tensor, if in the same cell."""
        made = self.run.places.get(self.found.tensor)
        return Code(made.cell, made.span) if made is not None and made.span.cell == self.span.cell else None


Texts = Iterator[Repair | None]


def gradient_falsified(site: FixSite) -> Texts:
    """Suggest writing after the backward that needs the old values, or a copy of an array's memory."""
    spans = [call.place.span for call in site.run.backwards if call.place is not None]
    later = [span.line for span in spans if span.cell == site.span.cell and span.line > site.line]
    if later and site.value("how") == "line":
        yield site.move_line(min(later))
    for shares in ("torch.from_numpy(", "torch.as_tensor("):
        if site.source.count(shares) == 1:
            yield site.with_source(site.source.replace(shares, "torch.tensor("))


def loss_broadcast(site: FixSite) -> Texts:
    """Suggest reshaping the (n, 1) tensor to (n,)."""
    first = site.value("first")
    column = 0 if first.count(",") == 1 and not first.endswith(",)") else 1
    if site.call and len(site.call.arguments) >= 2:
        yield site.replace(site.call.with_argument(column, with_suffix(site.call.value(column), ".squeeze(-1)")))
    elif site.operands and not site.call:
        operands = [site.operands.left, site.operands.right]
        operands[column] = with_suffix(operands[column], ".squeeze(-1)")
        yield site.replace(site.operands.with_operands(*operands))


def gradient_cut(site: FixSite) -> Texts:
    """Use the tensor itself instead of an expression without a path back."""
    call = site.call
    if not site.text:
        return
    if call and call.name == "item" and (match := _APPENDED.match(site.whole_line)):
        made = re.compile(rf"((?:\w+\.)*)(?:as_)?tensor\({re.escape(match[1])}(?:, requires_grad=True)?\)")
        yield site.with_source(made.sub(rf"\1stack({match[1]})", site.replace(call.receiver).source))
    if call and not call.arguments and call.name in _CUTS:
        yield site.replace(call.receiver)
    if call and call.name == "argmax":
        yield _expected_place(site, call)
    if call and call.head in _WRAPS and call.arguments:
        yield site.replace(bracketed(call.arguments[0]) if site.is_joined else call.arguments[0])
    yield _in_torch(site)
    if site.text.endswith(".data"):
        yield site.replace(site.text.removesuffix(".data"))
    if call and not call.arguments and call.name in CASTS:
        yield site.replace(call.receiver)
    opener = int(site.found.values.get("at") or 0)
    if opener and re.fullmatch(r"with [\w.]+\((?:False)?\):", site.lines[opener - 1].strip()):
        yield site.line_at(opener).dedent_block()
    for number, line in enumerate(site.lines, 1):
        if line.strip() in ("@torch.no_grad()", "@torch.inference_mode()"):
            yield site.line_at(number).replace_line()


def penalty_constant(site: FixSite) -> Texts:
    """Suggest the term with its history: a graph of the gradient, or the tensor itself."""
    if site.value("how") not in ("gradient", "residual"):
        yield from gradient_cut(site)
    elif site.call:
        yield site.replace(site.call.with_arguments(*site.call.arguments, "create_graph=True"))


def _expected_place(site: FixSite, call: WrittenCall) -> Repair | None:
    """Replace argmax along the last axis by softmax's expected position, which has a gradient."""
    here = (one for one in site.run.calls(("argmax",)) if one.place and one.place.span == site.span and one.inputs)
    shape = next((one.inputs[0].shape for one in here), ())
    scores, *axes = call.arguments if call.is_function else (call.receiver, *call.arguments)
    last = {f"{sign}{axis}" for axis in (-1, len(shape) - 1) for sign in ("", "dim=", "axis=")}
    if not shape or len(axes) != 1 or axes[0].replace(" ", "") not in last:
        return None
    return site.replace(bracketed(f"{with_suffix(scores, '.softmax(-1)')} @ torch.arange({shape[-1]}.0)"))


def _in_torch(site: FixSite) -> Repair | None:
    """Replace NumPy by torch on a line that only assigns, as torch.from_numpy(np.exp(w.detach().numpy()))."""
    begin = site.whole_line.find("torch.from_numpy(")
    outer = parse_call(site.whole_line[begin:].rstrip()) if begin >= 0 else None
    middle = parse_call(outer.arguments[0]) if outer is not None and len(outer.arguments) == 1 else None
    if middle is None or not middle.head.startswith(("np.", "numpy.")) or len(middle.arguments) != 1:
        return None
    inner = middle.arguments[0].removesuffix(".numpy()").removesuffix(".detach()")
    return site.replace_line(f"{site.whole_line[:begin].lstrip()}torch.{middle.name}({inner})")


def root_is_leaf(site: FixSite) -> Texts:
    """Suggest removing the line that makes a leaf, or using the result itself."""
    wrapped = re.fullmatch(r"\s*(\w+)\s*=\s*\w+(?:\.\w+)*\(\s*(\w+)\b.*", site.whole_line)
    asked = re.fullmatch(r"\s*\w+\.requires_grad_\(.*\)\s*", site.whole_line)
    if asked or (wrapped and wrapped[1] == wrapped[2]):
        yield site.drop_line()
    if site.call and site.call.arguments:
        given = site.call.arguments[0]
        yield site.replace(given.removesuffix(".item()").removesuffix(".detach()").removesuffix(".data"))


def asked_too_late(site: FixSite) -> Texts:
    """Suggest moving the line after the tensor's creation."""
    made = site.made_at()
    if made is not None and made.span.end_line < site.line:
        yield site.move_line(made.span.end_line)


def grad_of_result(site: FixSite) -> Texts:
    """Suggest retain_grad after the tensor's creation."""
    made, name = site.made_at(), site.value("name")
    if made is not None and name.isidentifier():
        yield made.add_after(f"{name}.retain_grad()")


def probabilities_as_scores(site: FixSite) -> Texts:
    """Pass the scores themselves."""
    source, made = site.source, site.value("made")
    call = parse_call(made)
    if call and source.count(made) == 1:
        if call.is_function and call.arguments:
            yield site.with_source(source.replace(made, call.arguments[0]))
        elif call.receiver and call.name in ("softmax", "sigmoid"):
            yield site.with_source(source.replace(made, call.receiver))
    layers = list(_LAYER.finditer(source))
    if len(layers) == 1:
        yield site.with_source(source[: layers[0].start()] + source[layers[0].end() :])


def not_log_probabilities(site: FixSite) -> Texts:
    """Suggest log_softmax, the classes' axis, or cross_entropy."""
    if site.text.count("softmax(") == 1 and "log_softmax(" not in site.text:
        yield site.replace(site.text.replace("softmax(", "log_softmax("))
    logs = (("softmax(", "log_softmax("), ("Softmax(", "LogSoftmax(")) if "log_softmax" not in site.source else ()
    axes = (("dim=0", "dim=1"), ("dim=-2", "dim=1"))
    for written, other in (*logs, *axes, ("nll_loss", "cross_entropy"), ("NLLLoss", "CrossEntropyLoss")):
        if site.source.count(written) == 1:
            yield site.with_source(site.source.replace(written, other))


def shuffled_apart(site: FixSite) -> Texts:
    """Suggest a common permutation, created before its first use."""
    first, second = (_PERMUTED.search(site.value(which)) for which in ("first", "second"))
    at = next((i for i, line in enumerate(site.lines, 1) if site.value("first") in line), 0)
    if first and second and 0 < at <= site.line:
        name = next(candidate for candidate in ("order", "shuffled", "rows_in_order") if candidate not in site.source)
        lines = list(site.lines)
        lines[at - 1] = lines[at - 1].replace(first[0], name)
        lines[site.line - 1] = lines[site.line - 1].replace(second[0], name)
        lines.insert(at - 1, f"{site.line_at(at).indent}{name} = {first[0]}")
        yield site.with_source("\n".join(lines))


def truncated(site: FixSite) -> Texts:
    """Suggest a floating-point tensor."""
    made = site.made_at()
    if made is None:
        return
    yield made.replace(re.sub(r"torch\.(?:long|int(?:32|64)?)\b", "torch.float32", made.text))
    if made.call and not any(argument.startswith("dtype") for argument in made.call.arguments):
        yield made.replace(made.call.with_arguments(*made.call.arguments, "dtype=torch.float32"))


def quotient_lost(site: FixSite) -> Texts:
    """Yield a larger h."""
    for written in re.finditer(r"(?m)^(\s*\w+\s*=\s*)(1e-\d+|0?\.0+1)(?=\s*(?:#.*)?$)", site.source):
        if float(written[2]) == float(site.value("h")):
            yield site.with_source(site.source[: written.start(2)] + "1e-3" + site.source[written.end(2) :])


def step_function(site: FixSite) -> Texts:
    """Yield a straight-through gradient: x + (f(x) - x).detach()."""
    if site.inner:
        whole = f"{bracketed(site.inner)} + ({site.text} - {bracketed(site.inner)}).detach()"
        yield site.replace(f"({whole})" if site.is_joined else whole)


def gradient_stopped(site: FixSite) -> Texts:
    """Suggest sigmoid instead of clamp(0, 1)."""
    call = site.call
    if call is None or not site.inner:
        return
    bounds = [float(argument) for argument in call.arguments if re.fullmatch(r"[01](?:\.0*)?", argument)]
    if call.name == "clamp" and bounds == [0, 1]:
        yield site.replace(f"torch.sigmoid({site.inner})")


def softmax_of_one(site: FixSite) -> Texts:
    """Suggest sigmoid instead of softmax, or the loss for a single score."""
    call = site.call
    if call is not None and call.name == "softmax" and site.inner:
        yield site.replace(f"torch.sigmoid({call.value(0)})" if call.is_function else f"{call.receiver}.sigmoid()")
    if call is not None and len(call.arguments) == 2 and re.search("(?i)cross_?entropy", site.source):
        scores, target = with_suffix(call.value(0), ".squeeze(-1)"), with_suffix(call.value(1), ".float()")
        code = call.with_arguments(scores, target)
        changed = site.replace(code.replace(".cross_entropy(", ".binary_cross_entropy_with_logits(")).source
        yield site.with_source(changed.replace("CrossEntropyLoss(", "BCEWithLogitsLoss("))


def _breaks_at_zero(name: str) -> bool:
    """Return whether a function or its slope is infinite at 0."""
    operation = operation_of(name)
    return operation.name == "sqrt" or (operation.is_infinite_at_zero and len(operation.operands) == 1)


def _away_from_zero(site: FixSite) -> Texts:
    """Suggest an argument slightly above 0, or clamped from below."""
    yield site.with_inner(f"{site.inner} + {_TINY}")
    yield site.with_inner(with_suffix(site.inner, f".clamp(min={_TINY})"))


def nan_backward(site: FixSite) -> Texts:
    """Suggest replacing discarded entries before the function, for a root an argument slightly above 0."""
    if site.value("meets") == "grown":
        yield from slower(site)
    if site.call is None or not site.inner:
        return
    if condition := _condition_around(site.whole_line, site.span.column, site.span.end_column):
        yield site.with_inner(f"torch.where({condition}, {site.inner}, 1.0)")
    if _breaks_at_zero(site.call.name):
        yield from _away_from_zero(site)


def _condition_around(line: str, begin: int, end: int) -> str:
    """Return the condition of the torch.where around a part of a line, or ""."""
    start = line.rfind("torch.where(", 0, begin)
    closing = [at for at in range(end, len(line)) if line[at] == ")"][:_BRACKETS]
    for at in closing if start >= 0 else ():
        around = parse_call(line[start : at + 1])
        if around is not None and around.name == "where" and len(around.arguments) == 3:
            return around.arguments[0]
    return ""


def nan_forward(site: FixSite) -> Texts:
    """Suggest softmax for its overflowing definition, and logarithms, roots and quotients away from 0."""
    pair, call = site.operands, site.call
    if site.value("grown") == "yes":
        yield from slower(site)
    if site.value("how") == "masked" and call is not None:
        given = [one for one in call.arguments if not re.fullmatch(r"(?:diagonal=)?-?\d+", one)]
        yield site.replace(call.with_arguments(*given, "diagonal=1"))
        return
    if pair is not None and pair.operator == "/":
        made = parse_call(pair.left)
        if made and made.name == "exp" and pair.right == f"{pair.left}.sum()":
            yield site.replace(f"torch.softmax({made.subject}, dim=-1)")
        yield site.replace(pair.with_operands(pair.left, f"({pair.right} + {_TINY})"))
    if call is not None and _breaks_at_zero(call.name) and site.inner:
        yield from _away_from_zero(site)


def dropout_always(site: FixSite) -> Texts:
    """Use the module's mode, in a method of it."""
    for line in (site.whole_line, *site.headers.values()):
        if method := _METHOD.match(line[:LONGEST_LINE]):
            if site.call is not None and method[1] == "self":
                yield site.replace(site.call.with_arguments(*site.call.arguments, "training=self.training"))
            return


def not_called(site: FixSite) -> Texts:
    """Add the brackets after the name."""
    before, code, after = site.whole_line.partition(site.value("code"))
    if code:
        yield site.replace_line(f"{before.lstrip()}{code}(){after}")


def gradient_stale(site: FixSite) -> Texts:
    """Clear the gradient after the update, or the optimizer's before it."""
    stepped = _STEP.fullmatch(site.whole_line)
    if stepped:
        yield site.add_after(f"{stepped[1]}.zero_grad()")
        back = next((line for line in range(site.line, 0, -1) if _BACKWARD.match(site.lines[line - 1])), 0)
        yield site.line_at(back).add_before(f"{stepped[1]}.zero_grad()") if back else None
        return
    target = site.whole_line.split("=")[0].strip().rstrip("-+*/").strip().removesuffix(".data")
    name = target.partition(".sub_(")[0].partition(".add_(")[0].removesuffix(".data")
    if re.sub(r"[.\[\]]", "_", name).isidentifier():
        yield site.add_after(f"{name}.grad = None")


def step_without_gradient(site: FixSite) -> Texts:
    """Suggest zero_grad before backward, or the right parameters, which must exist before the optimizer."""
    lines, at = site.lines, site.line
    back = next((i for i in range(at, 0, -1) if _BACKWARD.match(lines[i - 1])), 0)
    zero = next((i for i in range(at, back, -1) if _ZERO.fullmatch(lines[i - 1])), 0) if back else 0
    if zero:
        yield site.line_at(zero).move_line(back, after=False)
    stepped = _STEP.fullmatch(site.whole_line)
    matches = ((i, _OPTIMIZER.fullmatch(line)) for i, line in enumerate(lines, 1))
    made = [i for i, match in matches if stepped and match and match[1] == stepped[1]]
    if len(made) == 1:
        line = site.line_at(made[0])
        for copied in _COPIED.finditer(line.text):
            yield line.replace(f"{line.text[: copied.start()]}{copied[1]}{line.text[copied.end() :]}")
        for i in range(made[0] + 1, at):
            target, equals, _ = lines[i - 1].partition("=")
            if equals and target.strip() and target.strip() in line.text:
                yield line.move_line(i)


def never_used(site: FixSite) -> Texts:
    """Suggest creating the optimizer after the model's last change, or removing the unused parameters' line."""
    lines = site.lines
    made = [i for i, text in enumerate(lines, 1) if _OPTIMIZER.fullmatch(text) and ".parameters()" in text]
    for i in range(made[0] + 1, len(lines) + 1) if len(made) == 1 else ():
        part = re.match(r"(\w+)[.\[][^=()]*=[^=]", lines[i - 1])
        if part and f"{part[1]}.parameters()" in lines[made[0] - 1]:
            yield site.line_at(made[0]).move_line(i)
    last = site.whole_line.partition("=")[0].strip().rpartition(".")[2]
    if last.isidentifier() and len(re.findall(rf"\b{last}\b", site.source)) == 1:
        yield site.drop_line()


def rebound(site: FixSite) -> Texts:
    """Update in place under no_grad, and clear the gradient after it."""
    written = _UPDATE.fullmatch(site.whole_line)
    if not written or written[1] != written[2]:
        return
    update, clear = f"{written[1]} {written[3]}= {written[4]}", f"{written[1]}.grad = None"
    here = (one for one in site.run.calls(site.run.by_name) if one.place is not None and one.place.span == site.span)
    if any(call.records for call in here):
        yield site.replace_line("with torch.no_grad():", f"    {update}", clear)
    else:
        yield site.replace_line(update)
        yield site.replace_line(update, clear)


def symmetric(site: FixSite) -> Texts:
    """Suggest random numbers instead of a constant."""
    if filled := _FILLED.fullmatch(site.whole_line):
        yield site.replace_line(f"{filled[1]}init.xavier_uniform_({filled[2]})")
    for function in ("torch.ones(", "torch.zeros("):
        if site.whole_line.count(function) == 1:
            yield site.replace_line(site.whole_line.replace(function, "torch.randn(").strip())


def not_in_optimizer(site: FixSite) -> Texts:
    """Yield a ModuleList instead of a plain list of layers."""
    held = re.search(r"=\s*(\[.*\])\s*$", site.whole_line)
    if held and "self." in site.whole_line:
        yield site.replace_line(f"{site.whole_line[: held.start(1)].strip()} nn.ModuleList({held[1]})")


def never_stepped(site: FixSite) -> Texts:
    """Yield a step after the backward."""
    yield site.add_after(f"{site.value('optimizer')}.step()")


def kept_weights_shared(site: FixSite) -> Texts:
    """Suggest a copy of the model instead of a second name."""
    if site.value("how") == "named":
        copied = site.replace_line(f"{site.text.partition('=')[0].strip()} = copy.deepcopy({site.value('copied')})")
        imported = re.search(r"(?m)^\s*import .*\bcopy\b", site.source)
        yield copied if imported else site.with_source(f"import copy\n{copied.source}")


def stepped_twice(site: FixSite) -> Texts:
    """Suggest only the first of the two steps."""
    code = site.value("code")
    yield site.drop_line() if site.whole_line.partition("#")[0].strip() == code else None
    yield site.replace_line(site.whole_line.replace(f"{code}; {code}", code).strip())


def step_before_backward(site: FixSite) -> Texts:
    """Suggest moving the step after the backward, or adding it there as a separate line."""
    back = int(site.value("line"))
    yield site.move_line(back)
    first, _, rest = site.whole_line.strip().partition(";")
    if back == site.line and first == site.value("code"):
        yield site.replace_line(f"{rest.strip()}; {first}")


def setting_misspelt(site: FixSite) -> Texts:
    """Suggest the name that torch reads, or the module's setter."""
    if site.value("meant").endswith(")"):
        yield site.replace_line(site.whole_line.replace(site.value("code"), site.value("meant")).strip())
        return
    target, meant = re.split(r"\s*[-+*/]?=", site.value("code"), maxsplit=1)[0], site.value("meant")
    name = meant if "[" in meant else f"{target.rpartition('.')[0]}.{meant}"
    yield site.replace_line(site.whole_line.replace(target, name).strip())


def slower(site: FixSite) -> Texts:
    """Suggest smaller learning rates if exactly one is written, unless the loss climbs or units start dead."""
    found = site.found
    if found.values.get("uphill") == "True" or (found.step == 1 and found.kind in ("zero", "dead_units")):
        return
    made = [optimizer.place for optimizer in site.run.stepped if optimizer.place is not None]
    calls = [(place, place.call, place.call.place(1, "lr")) for place in made if place.call is not None]
    written = {call.value(at): (place, call, at) for place, call, at in calls if at is not None}
    descents = list(_written(site, _DESCENT)) if not made else []
    rates = written.keys() or {match[1] for *_, match in descents}
    if len(rates) != 1 or len(written) < len(made):
        return
    rate = next(iter(rates))
    if not re.fullmatch(_NUMBER, rate):
        descents = list(_written(site, re.compile(rf"(?<!\w){re.escape(rate.rpartition('.')[2])} *= *{_NUMBER}")))
    for less in (10.0, 100.0, 1000.0):
        if re.fullmatch(_NUMBER, rate) and written:
            place, call, at = written[rate]
            yield place.replace(call.with_argument(at, f"{float(rate) / less:g}"))
        elif len({cell for cell, *_ in descents}) == 1 and (len(descents) == 1 or re.fullmatch(_NUMBER, rate)):
            cell, source, _ = descents[0]
            for *_, match in reversed(descents):
                source = f"{source[: match.start(1)]}{float(match[1]) / less:g}{source[match.end(1) :]}"
            yield Repair(cell, source)


def _written(site: FixSite, pattern: re.Pattern[str]) -> Iterator[tuple[int, str, re.Match[str]]]:
    """Yield where a pattern occurs outside comments, with the cell and its text."""
    texts = ((at, cell.source) for at, cell in enumerate(site.run.trace.own_cells) if len(cell.source) <= LONGEST)
    for cell, source in texts:
        for match in pattern.finditer(source):
            if "#" not in source[: match.start()].rpartition("\n")[2]:
                yield cell, source, match


def vanishing(site: FixSite) -> Texts:
    """Suggest another function than sigmoid, in its first cell."""
    for cell, own in enumerate(site.run.trace.own_cells):
        for module, name in (("ReLU", "relu"), ("Tanh", "tanh")) if len(own.source) <= LONGEST else ():
            text = own.source.replace("nn.Sigmoid()", f"nn.{module}()").replace("torch.sigmoid(", f"torch.{name}(")
            if text == own.source:
                break
            yield Repair(cell, text)


# Each function is named after the kind that it repairs.
CHANGES: dict[str, Callable[[FixSite], Texts]] = {
    kind: change for kind, change in globals().items() if getattr(change, "__module__", "") == __name__
}
CHANGES |= {"leaf_rebound": rebound, "update_lost": rebound}
TRAINING = dict.fromkeys(("loss_nonfinite", "loss_grows", "gradient_nonfinite", "zero", "dead_units"), slower)
TRAINING |= {"vanishing": vanishing}  # judged by the final loss, so notes can have repairs too
CHANGES |= TRAINING


def repairs(run: Run, finding: Finding) -> tuple[Repair, ...]:
    """Return untested changes of a diagnosis's cell."""
    cell, change = run.trace.cells[finding.place.cell], CHANGES.get(finding.kind)
    if change is None or len(cell.source) > LONGEST:
        return ()
    changed = change(FixSite(cell, finding.place, run, finding))
    telling = dict.fromkeys(repair for repair in changed if repair is not None and repair.source != cell.source)
    return tuple(telling)[:MOST]
