"""What the text of a cell says about its places: assignment targets, operands, statements to widen a store to.

Places here are Python's own: (line, end line, column, end column) with columns in UTF-8 bytes, as `co_positions` gives.
"""

import ast
from dataclasses import dataclass, field

Place = tuple[int, int, int, int]


@dataclass(frozen=True)
class Counted:
    """A `for` whose rounds can be counted ahead, as nothing in it leaves it early or binds its variable.

    Attributes:
        variable: what it assigns, "" for several.
        range: arguments of the range it goes over: numbers, names, and (name,) for the length of what has that name.
        name: of the list or tensor it goes over, where there is no range.
    """

    variable: str
    range: tuple[int | str | tuple[str], ...]
    name: str


@dataclass
class SourceIndex:
    """The syntax of one cell by place.

    Attributes:
        targets: place of an assigned expression to the names it is assigned to, in order (None: not a name).
        operands: place of an expression to the plain names that stand in it as operands.
        widened: place that the interpreter reports to the place that says what happened: the targets of an unpacking to
            what is unpacked, a whole loop or branch to what is iterated or tested, the last line of a chain of calls to
            the whole chain.
        stores: the target of a store to its whole statement.
        counted: loops whose rounds can be counted ahead.
    """

    targets: dict[Place, list[str | None]] = field(default_factory=dict)
    operands: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    widened: dict[Place, Place] = field(default_factory=dict)
    stores: dict[Place, Place] = field(default_factory=dict)
    counted: dict[Place, Counted] = field(default_factory=dict)


def index_source(tree: ast.AST) -> SourceIndex:
    """Read the syntax tree once, as the user wrote it."""
    index = SourceIndex()
    for node in ast.walk(tree):
        match node:
            case ast.Assign():
                for target in node.targets:
                    _assigned(index, target, node.value, node)
            case ast.AnnAssign(value=ast.expr()):
                _assigned(index, node.target, node.value, node)
            case ast.NamedExpr():
                _assigned(index, node.target, node.value, node)
            case ast.AugAssign():
                if isinstance(node.target, ast.Name):
                    index.targets[place(node)] = [node.target.id]
                else:
                    index.stores[place(node.target)] = place(node)
                index.operands[place(node)] = _names(node.target, node.value)
            case ast.For():
                index.widened[place(node)] = place(node.iter)
                counted = _counted(node)
                if counted is not None:
                    index.counted[place(node)] = counted
                if isinstance(node.target, ast.Tuple | ast.List):
                    index.widened[place(node.target)] = place(node.iter)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                index.widened[place(node)] = place(node.generators[0].iter)
            case ast.If() | ast.While() | ast.Assert() | ast.IfExp():
                index.widened[place(node)] = place(node.test)
            case ast.BinOp():
                index.operands[place(node)] = _names(node.left, node.right)
            case ast.UnaryOp():
                index.operands[place(node)] = _names(node.operand)
            case ast.Compare():
                index.operands[place(node)] = _names(node.left, *node.comparators)
            case ast.Call():
                receiver = []
                if isinstance(node.func, ast.Attribute):
                    receiver = [node.func.value]
                    if node.func.value.end_lineno != node.end_lineno:
                        index.widened[_from_attribute(node)] = place(node)
                index.operands[place(node)] = _names(*receiver, *node.args, *(k.value for k in node.keywords))
            case ast.Subscript() | ast.Attribute():
                index.operands[place(node)] = _names(node.value)
    return index


def place(node: ast.AST) -> Place:
    """Where a node stands."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _counted(loop: ast.For) -> Counted | None:
    names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    pending: list[ast.AST] = [*loop.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Break | ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Await):
            return None
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in names:
            return None
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
    iterated = loop.iter
    while isinstance(iterated, ast.Call) and _name_of(iterated.func) in ("enumerate", "tqdm") and iterated.args:
        if _name_of(iterated.func) == "enumerate" and isinstance(iterated.args[0], ast.Call):
            return None
        iterated = iterated.args[0]
    match iterated:
        case ast.Name():
            return Counted(getattr(loop.target, "id", ""), (), iterated.id)
        case ast.Call(func=ast.Name(id="range"), keywords=[]) if isinstance(loop.target, ast.Name):
            parts = [_part(argument) for argument in iterated.args]
            return None if None in parts or not parts else Counted(loop.target.id, tuple(parts), "")
    return None


def _name_of(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def _part(argument: ast.expr) -> int | str | tuple[str] | None:
    match argument:
        case ast.Constant(value=int()):
            return int(argument.value)
        case ast.Name():
            return argument.id
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as held], keywords=[]):
            return (held.id,)
    return None


def _from_attribute(call: ast.Call) -> Place:
    """Where Python says a method call stands whose receiver ends on an earlier line: from the method's name on."""
    name = call.func
    return name.end_lineno, call.end_lineno, name.end_col_offset - len(name.attr.encode()), call.end_col_offset


def _assigned(index: SourceIndex, target: ast.expr, value: ast.expr, statement: ast.AST) -> None:
    match target:
        case ast.Name():
            index.targets[place(value)] = [target.id]
        case ast.Subscript() | ast.Attribute():
            index.stores[place(target)] = place(statement)
        case ast.Tuple() | ast.List():
            names = [element.id if isinstance(element, ast.Name) else None for element in target.elts]
            index.targets[place(value)] = names
            index.widened[place(target)] = place(value)
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                for element, part in zip(target.elts, value.elts, strict=True):
                    _assigned(index, element, part, statement)


def _names(*parts: ast.expr) -> tuple[str, ...]:
    found = []
    for part in parts:
        if isinstance(part, ast.Starred):
            part = part.value
        if isinstance(part, ast.Tuple | ast.List):
            found += [element.id for element in part.elts if isinstance(element, ast.Name)]
        elif isinstance(part, ast.Name):
            found.append(part.id)
    return tuple(found)
