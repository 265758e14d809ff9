"""Names that have no value when they are used."""

import ast
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from string import digits

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.run.operations.signatures import names_of
from explorer.analysis.run.source.assignments import trees
from explorer.analysis.run.source.bindings import COMPREHENSION, Binding, Scope, bindings, scopes_at, word_of_block
from explorer.analysis.run.source.code import Code, Repair
from explorer.analysis.run.source.definitions import Function, parameters, stores
from explorer.analysis.run.source.expressions import near
from explorer.trace import Span, ends_cell

RULES = Rules()
_INSTALLED = {"torch", "numpy", "pandas", "matplotlib"} | sys.stdlib_module_names
_REGISTER = {"register_buffer", "register_parameter", "add_module", "register_module"}
_OWNERS = {"torch": "torch", "torch.nn": "nn", "torch.nn.functional": "F", "torch.optim": "optim"}
_NO_OBJECT = {"staticmethod", "classmethod"}
_LOOP = ast.For | ast.AsyncFor | ast.While
_END = 1 << 31  # below every line


@RULES.rule(
    r"UnboundLocalError|NameError: cannot access (?:local|free) variable '(?P<name>\w+)'"
    r"|(?:local|free) variable '(?P<also>\w+)' referenced before"
)
def local_without_value(at: FailureContext) -> Explanation | None:
    """Explain a function's own name that has no value yet."""
    name, functions = at["name"] or at["also"], _functions(at, at.here.span)
    bound = _bound(at, name)
    scope = next((one for one in reversed(functions) if any(one in each.scopes[-1:] for each in bound)), None)
    own = [one for one in bound if scope in one.scopes[-1:]]
    found = _without_value(at, name, own, _place_in(at, scope)) if scope else None
    outer = [one for one in bound if not one.scopes or (one.scopes[-1] in functions and one not in own)]
    if found is None or not outer or found.kind not in ("name-too-early", "name-needs-itself"):
        return found
    return _hides_outer(at, own[0], outer[-1], all(not one.is_definition for one in (*own, *outer)))


def _hides_outer(at: FailureContext, own: Binding, outer: Binding, changes: bool) -> Explanation:
    """Explain an assignment that makes a name of the module local. `changes`: whether both are plain values."""
    word, scope, name = "nonlocal" if outer.scopes else "global", own.scopes[-1], own.name
    values = {"name": name, "function": getattr(scope, "name", "lambda"), "word": word if changes else "none"}
    found = at.explain("local-hides-outer", **values, where=own.line)
    body = getattr(scope, "body", None)
    if not changes or not isinstance(body, list):
        return found
    first = body[len(body) > 1 and isinstance(body[0], ast.Expr)].lineno
    begins = Code(at.trace.cells[own.cell], Span(own.cell, first, 0, first, 0))
    return found.repaired_by(begins.add_before(f"{word} {name}"))


@RULES.rule(r"NameError: ^name '(?P<name>\w+)' is not defined(?:\. Did you mean: '(?P<meant>\w+)'\?)?")
def name_without_value(at: FailureContext) -> Explanation | None:
    """Explain a name that the program has not defined, or not yet."""
    name, bound = at["name"], _bound(at, at["name"])
    if of_module := [one for one in bound if not one.scopes]:
        return _without_value(at, name, of_module, _place_in(at, None))
    steps = (_of_the_object, _not_imported, _in_torch, _in_another_scope)
    return next((found for step in steps if (found := step(at, name, bound))), None) or _misspelt(at, name)


def _seen(at: FailureContext) -> range:
    """Return the cells whose names the failing code can see: the program's, or only its own file."""
    own, cell = len(at.trace.own_cells), at.here.span.cell
    return range(own) if cell < own else range(cell, cell + 1)


def _bound(at: FailureContext, name: str) -> list[Binding]:
    """Return what binds a name in these cells. A function's `global` name belongs to the module."""
    cells = [cell for cell in _seen(at) if not at.trace.cells[cell].source.startswith("%%") or cell == at.cell]
    found = [one for one in bindings(at.trace).get(name, ()) if one.cell in cells]
    declared = [one.scopes[-1:] for one in found if isinstance(one.node, ast.Global) and one.scopes]
    real = (one for one in found if not isinstance(one.node, ast.Global | ast.Nonlocal))
    return [replace(one, scopes=(), blocks=one.scopes[-1:]) if one.scopes[-1:] in declared else one for one in real]


def _functions(at: FailureContext, place: Span) -> list[Scope]:
    """Return the functions whose body holds a place, outermost first."""
    return [one for one in scopes_at(at.trace, place) if isinstance(one, Function | ast.Lambda)]


def _place_in(at: FailureContext, scope: Scope | None) -> Span:
    """Return the running place of a function, or of the module: its end if it has run."""
    frames = [at.trace.spans[row] for row in (*at.failure.frames, at.failure.span)]
    running = (one for one in reversed(frames) if one.cell in _seen(at))
    inside = (one for one in running if _functions(at, one)[-1:] == ([scope] if scope else []))
    return next(inside, Span(at.here.span.cell, _END, 0, _END, 0))


def _without_value(at: FailureContext, name: str, bound: Sequence[Binding], place: Span) -> Explanation | None:
    """Explain why none of the assignments in a scope has given a name a value at a place of it."""
    given = [one for one in bound if not one.deletes]
    deleted = [one for one in bound if one.deletes and (one.cell, one.line) < (place.cell, place.line)]
    handlers = [one for one in given if isinstance(one.node, ast.ExceptHandler)]
    given = [one for one in given if one not in handlers]
    above = [one for one in given if (one.cell, one.line) < (place.cell, place.line) and not _is_at(one, place)]
    handlers = [one for one in handlers if (one.cell, one.line) < (place.cell, place.line)]
    if handlers and (not given or any(_has_run(at, one, place) for one in above)):
        return at.explain("name-of-exception", name=name, where=handlers[-1].line)
    if handlers or not given:
        return None
    if not above:
        return _later(at, name, given, place)
    if any(_has_run(at, one, place) for one in above):
        if len(deleted) != 1:
            return None
        return at.explain("name-deleted", name=name, where=deleted[0].line, cell=_other(deleted[0], at))
    return None if deleted else _not_reached(at, name, above, place)


def _later(at: FailureContext, name: str, given: Sequence[Binding], place: Span) -> Explanation:
    """Explain a name that only the failing statement, or a later one, assigns."""
    first = given[0]
    if _is_at(first, place):
        return at.explain("name-needs-itself", name=name, where=first.line)
    cell = 0 if first.cell == place.cell else first.cell + 1
    around = [one.lineno for one in first.blocks if isinstance(one, _LOOP) and _holds(one, place)]
    return at.explain(
        "name-too-early", name=name, where=first.line, cell=cell, runs=place.line, loop=min(around, default=0)
    )


def _holds(loop: ast.AST, place: Span) -> bool:
    """Return whether a place of the same cell is in a loop."""
    return getattr(loop, "lineno", 0) < place.line <= (getattr(loop, "end_lineno", 0) or 0)


def _not_reached(at: FailureContext, name: str, above: Sequence[Binding], place: Span) -> Explanation:
    """Explain assignments that have not run: after an error, or in a block."""
    last = above[-1]
    stopped, cell = _stopped(at, last.cell, place), _other(last, at)
    values: dict[str, str | int] = {"name": name, "where": last.line, "cell": cell}
    if 0 <= stopped <= last.line:
        return at.explain("name-after-error", **values | {"cell": last.cell + 1}, stopped=stopped)
    block = last.blocks[-1] if last.blocks else last.statement
    kind = "name-not-reached" if last.blocks else "name-of-empty-loop"
    return at.explain(kind, **values, block=word_of_block(block), start=getattr(block, "lineno", 0), count=len(above))


def _has_run(at: FailureContext, one: Binding, place: Span) -> bool:
    """Return whether an assignment above a place must have run."""
    is_loop = isinstance(one.statement, ast.For | ast.AsyncFor)
    return not one.blocks and not is_loop and not 0 <= _stopped(at, one.cell, place) <= one.line


def _stopped(at: FailureContext, cell: int, place: Span) -> int:
    """Return the line where an error ended another cell, 0 if none of it ran, -1 if all did."""
    ended = next((one for one in at.trace.cells[cell].outputs if ends_cell(one)), None)
    if ended is None or cell == place.cell:
        return -1
    if getattr(ended, "type", "") in ("SyntaxError", "IndentationError", "TabError"):
        return 0
    places = [at.trace.spans[row] for row in (*getattr(ended, "frames", ()), ended.span) if row >= 0]
    return next((one.line for one in places if one.cell == cell), 0)


def _is_at(one: Binding, place: Span) -> bool:
    """Return whether the statement that assigns it is at this place."""
    of, is_block = one.statement, hasattr(one.statement, "body")
    return one.cell == place.cell and of.lineno <= place.line <= (of.lineno if is_block else of.end_lineno or 0)


def _other(one: Binding, at: FailureContext) -> int:
    """Return the number of its cell, 0 for the failing cell."""
    return 0 if one.cell == at.here.span.cell else one.cell + 1


def _of_the_object(at: FailureContext, name: str, bound: Sequence[Binding]) -> Explanation | None:
    """Explain an attribute or method of an object that is written without `self.`"""
    scopes = scopes_at(at.trace, at.here.span)
    for of, method in pairwise(scopes):
        if not isinstance(of, ast.ClassDef) or not isinstance(method, Function) or not parameters(method):
            continue
        self = parameters(method)[0].arg
        stored = [node.lineno for node in stores(of, name) if getattr(node.value, "id", "") in ("self", self)]
        stored += [one.line for one in bound if one.scopes[-1] is of]
        stored += [call.lineno for call in ast.walk(of) if isinstance(call, ast.Call) and _registers(call, name)]
        if stored and not any(getattr(one, "id", "") in _NO_OBJECT for one in method.decorator_list):
            new = f"{self}.{name}"
            values = {"name": name, "attribute": new, "class": of.name}
            return at.explain("name-of-the-object", new if at.code == name else None, **values, where=stored[0])
    return None


def _registers(call: ast.Call, name: str) -> bool:
    """Return whether a call creates a module's buffer, parameter or layer of a name."""
    first = call.args[0] if call.args else None
    return getattr(call.func, "attr", "") in _REGISTER and isinstance(first, ast.Constant) and first.value == name


def _not_imported(at: FailureContext, name: str, bound: Sequence[Binding]) -> Explanation | None:
    """Explain a well-known name, with the usual imports of all such names that the program lacks."""
    line, after = _imports().get(name, ""), at.here.after
    is_member = line.startswith("from") and not bound and (after[:1] in ("(", "[") or name[0].isupper())
    if not line or not (after.startswith(".") or is_member):
        return None
    used = {name: line}
    for cell in _seen(at):
        for node in ast.walk(trees(at.trace)[cell] or ast.Module([], [])):
            other = getattr(node, "id", "") if isinstance(node, ast.Name) else ""
            if other in _imports() and _package(_imports()[other]) in _INSTALLED and other not in bindings(at.trace):
                used[other] = _imports()[other]
    lines = sorted(set(used.values()), key=list(_imports().values()).index)
    found = at.explain("name-not-imported", name=name, **{"import": line}, others=len(lines) - 1)
    return found.repaired_by(_add(at, lines))


@cache
def _imports() -> dict[str, str]:
    """Return the usual import of each well-known name."""
    tree = ast.parse(Path(__file__).with_name("imports.txt").read_text(encoding="utf-8"))
    found = {}
    for node in (node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)):
        for alias in node.names:
            alone = ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], 0)
            found[alias.asname or alias.name] = ast.unparse(alone)
    return found


def _package(line: str) -> str:
    return line.split()[1].partition(".")[0]


def _add(at: FailureContext, lines: Sequence[str]) -> Repair:
    """Add imports after those at the top of the running cell."""
    place = _place_in(at, None)
    tree, cell = trees(at.trace)[place.cell], at.trace.cells[place.cell]
    after = 0
    for node in tree.body if tree else ():
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, ast.Import | ast.ImportFrom) and not is_text:
            break
        after = node.end_lineno or 0
    if not after and tree and tree.body:
        after = tree.body[0].lineno - 1 - len(getattr(tree.body[0], "decorator_list", ()))
    return Repair(place.cell, "\n".join([*cell.lines[:after], *lines, *cell.lines[after:]]))


def _in_torch(at: FailureContext, name: str, bound: Sequence[Binding]) -> Explanation | None:
    """Explain a function or class of torch that is written without its module."""
    if bound or not (at.here.after.startswith("(") or name[:1].isupper()) or hasattr(math, name):
        return None
    owners = [owner for owner in _OWNERS if name in names_of(owner)]
    if not owners or (owners[0] == "torch" and {"np", "numpy"} & bindings(at.trace).keys()):
        return None
    alias = _OWNERS[owners[0]]
    full = f"{alias if alias in bindings(at.trace) else owners[0]}.{name}"
    return at.explain("name-in-torch", full if at.code == name else None, name=name, full=full)


def _in_another_scope(at: FailureContext, name: str, bound: Sequence[Binding]) -> Explanation | None:
    """Explain a name that exists only in a function, a class or a comprehension."""
    around = scopes_at(at.trace, at.here.span)
    inner = [one.scopes[-1] for one in bound]
    if not bound or name in ("self", "cls") or any(one in around for one in inner):
        return None
    values: dict[str, str | int] = {"name": name, "where": bound[0].line, "cell": _other(bound[0], at)}
    if all(isinstance(one, COMPREHENSION) for one in inner):
        return at.explain("name-in-a-comprehension", **values)
    if isinstance(inner[0], ast.ClassDef) and len(bound[0].scopes) == 1:
        new = f"{inner[0].name}.{name}"
        return at.explain("name-in-a-class", new if at.code == name else None, **values, full=new)
    functions = {id(one): one.name for one in inner if isinstance(one, Function)}
    if not isinstance(inner[0], Function):
        return None
    return at.explain("name-in-a-function", **values, function=inner[0].name, count=len(functions))


def _misspelt(at: FailureContext, name: str) -> Explanation | None:
    """Explain a name that is close to another one."""
    around = scopes_at(at.trace, at.here.span)
    own = {text: places for text, places in bindings(at.trace).items() if set(places[0].scopes) <= set(around)}
    meant = near(name, [at["meant"]] if at["meant"] else own)
    if not meant or name.strip(digits) == meant.strip(digits):
        return None
    where = next((one.line for one in own.get(meant, ())), 0)
    cell = _other(own[meant][0], at) if where else 0
    return at.explain(
        "name-misspelt", meant if at.code == name else None, name=name, meant=meant, where=where, cell=cell
    )


@RULES.rule(r"AttributeError: ^'NoneType' object has no attribute '(?P<name>\w+)'")
def none_by_default(at: FailureContext) -> Explanation | None:
    """Explain a parameter that is None by default, and that the call did not give."""
    held, function = at.whole.receiver if at.whole else None, next(iter(_functions(at, at.here.span)[-1:]), None)
    if held is None or held.thing.type != "NoneType" or not isinstance(function, Function):
        return None
    names, defaults = function.args.posonlyargs + function.args.args, function.args.defaults
    given = [*zip(names[len(names) - len(defaults) :], defaults, strict=True)]
    given += zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    is_none = any(one.arg == held.text and isinstance(of, ast.Constant) and of.value is None for one, of in given)
    own = [one for one in _bound(at, held.text) if one.scopes[-1:] == (function,)]
    if not is_none or len(own) != 1:  # the parameter itself
        return None
    return at.explain("none-by-default", name=held.text, function=function.name, where=function.lineno)
