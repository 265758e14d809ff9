"""The places in a cell's text: assignment targets, operands, and the statement around each expression.

Places are Python's own, as in `co_positions`: (line, end line, column, end column), columns in UTF-8 bytes.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

Place = tuple[int, int, int, int]
_DEEPEST = 4  # steps of a path


@dataclass(frozen=True)
class Path:
    """A path that an expression reads from a variable: `self.w`, `params["b"]`, `self.weights[0]`.

    Attributes:
        text: as displayed; head: the variable.
        steps: an attribute is (".", its name), an item ("[", its key).
    """

    text: str
    head: str
    steps: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True)
class Counted:
    """A `for` whose rounds can be counted in advance: nothing rebinds its variable.

    Attributes:
        variable: what it assigns, "" for several.
        range: arguments of its range: numbers, names, and (name,) for the length of that variable.
        name: of the list or tensor it iterates over, without a range.
        leaves: whether something in it may end it early.
    """

    variable: str
    range: tuple[int | str | tuple[str], ...]
    name: str
    leaves: bool


@dataclass(frozen=True)
class Climbing:
    """A `while` whose rounds can be counted ahead: one variable moves by a step to a bound.

    Attributes:
        variable: what each round changes once.
        step: by how much; below 0 it falls.
        bound: a number, a name, or (name,) for the length of that variable.
        beyond: added to the bound: 0 if the bound itself is excluded, otherwise the offset to the first excluded value.
        stepped: line and column after which a round has changed the variable.
        leaves: whether something in it may end it early.
    """

    variable: str
    step: int
    bound: int | str | tuple[str]
    beyond: int
    stepped: tuple[int, int]
    leaves: bool


@dataclass
class SourceIndex:
    """The syntax of one cell, by place.

    Attributes:
        targets: place of an assigned expression to the names it is assigned to, in order (None: not a name).
        operands, paths: place of an expression to the names that are its operands, and to the paths that it reads.
        widened: place that the interpreter reports to the more telling place: the targets of an unpacking to the
            unpacked expression, a loop or branch to what is iterated or tested, the last line of a chain of calls to
            the whole chain, a name behind `not` (whose test has the name's place from Python 3.12 on) to both.
        stores: the target of a store to its whole statement.
        counted: loops whose rounds can be counted ahead; a `while` by the place of its test.
    """

    targets: dict[Place, list[str | None]] = field(default_factory=dict)
    operands: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    paths: dict[Place, tuple[Path, ...]] = field(default_factory=dict)
    widened: dict[Place, Place] = field(default_factory=dict)
    stores: dict[Place, Place] = field(default_factory=dict)
    counted: dict[Place, Counted | Climbing] = field(default_factory=dict)

    def add(self, other: "SourceIndex") -> None:
        """Merge the index of another part of the same text."""
        for name, found in vars(other).items():
            getattr(self, name).update(found)


def index_source(tree: ast.AST) -> SourceIndex:
    """Build the index from the syntax tree."""
    index = SourceIndex()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            _index_statement(index, node)
        elif isinstance(node, ast.expr):
            _index_expression(index, node)
    return index


def _index_statement(index: SourceIndex, node: ast.stmt) -> None:
    match node:
        case ast.Assign():
            for target in node.targets:
                _assigned(index, target, node.value, node)
        case ast.AnnAssign(value=ast.expr()):
            _assigned(index, node.target, node.value, node)
        case ast.AugAssign():
            if isinstance(node.target, ast.Name):
                index.targets[place(node)] = [node.target.id]
            else:
                index.stores[place(node.target)] = place(node)
            _operands(index, node, node.target, node.value)
        case ast.For():
            index.widened[place(node)] = place(node.iter)
            if (counted := _counted(node)) is not None:
                index.counted[place(node)] = index.counted[place(node.iter)] = (
                    counted  # Python 3.13 jumps to the latter
                )
            if isinstance(node.target, ast.Tuple | ast.List):
                index.widened[place(node.target)] = place(node.iter)
        case ast.If() | ast.While() | ast.Assert():
            index.widened[place(node)] = place(node.test)
            if isinstance(node, ast.While) and (climbing := _climbing(node)) is not None:
                index.counted[place(node.test)] = climbing


def _index_expression(index: SourceIndex, node: ast.expr) -> None:
    match node:
        case ast.NamedExpr():
            _assigned(index, node.target, node.value, node)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            index.widened[place(node)] = place(node.generators[0].iter)
        case ast.IfExp():
            index.widened[place(node)] = place(node.test)
        case ast.BinOp():
            _operands(index, node, node.left, node.right)
        case ast.UnaryOp():
            _operands(index, node, node.operand)
            if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
                index.widened[place(node.operand)] = place(node)
        case ast.Compare():
            _operands(index, node, node.left, *node.comparators)
        case ast.Call():
            receiver = []
            if isinstance(node.func, ast.Attribute):
                receiver = [node.func.value]
                if node.func.value.end_lineno != node.end_lineno:
                    index.widened[_from_attribute(node, node.func)] = place(node)
            _operands(index, node, *receiver, *node.args, *(k.value for k in node.keywords))
        case ast.Subscript() | ast.Attribute():
            _operands(index, node, node.value)


def place(node: ast.stmt | ast.expr) -> Place:
    """The place of a syntax node."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _counted(loop: ast.For) -> Counted | None:
    names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    inside = list(_within(loop.body))
    if any(_binds(node) in names for node in inside):
        return None
    leaves = any(isinstance(node, _LEAVES) for node in inside)
    iterated = loop.iter
    while isinstance(iterated, ast.Call) and _name_of(iterated.func) in ("enumerate", "tqdm") and iterated.args:
        if _name_of(iterated.func) == "enumerate" and isinstance(iterated.args[0], ast.Call):
            return None
        iterated = iterated.args[0]
    match iterated:
        case ast.Name():
            return Counted(getattr(loop.target, "id", ""), (), iterated.id, leaves)
        case ast.Call(func=ast.Name(id="range"), keywords=[]) if isinstance(loop.target, ast.Name):
            parts = [_part(argument) for argument in iterated.args]
            return None if None in parts or not parts else Counted(loop.target.id, tuple(parts), "", leaves)
    return None


def _climbing(loop: ast.While) -> Climbing | None:
    match loop.test:
        case ast.Compare(left=ast.Name(id=variable), ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as order]):
            bound = _part(loop.test.comparators[0])
        case _:
            return None
    steps = [(node, step) for node in loop.body if (step := _step(node, variable))]
    inside = list(_within(loop.body))
    if bound is None or len(steps) != 1 or any(isinstance(node, ast.Continue) for node in inside):
        return None
    bound_name = bound[0] if isinstance(bound, tuple) else bound
    bindings = [_binds(node) for node in inside]
    if bindings.count(variable) != 1 or bound_name in bindings or bound_name == variable:
        return None
    [(statement, step)] = steps
    way = 1 if isinstance(order, ast.Lt | ast.LtE) else -1
    if step * way < 0:
        return None
    beyond = way if isinstance(order, ast.LtE | ast.GtE) else 0
    leaves = any(isinstance(node, _LEAVES) for node in inside)
    return Climbing(variable, step, bound, beyond, (statement.end_lineno, statement.end_col_offset), leaves)


def _step(statement: ast.stmt, variable: str) -> int:
    """The amount that `i += 1` or `i = i + 1` adds to a variable, 0 for other statements."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=sign, value=ast.Constant(value=int(step))):
            before = name
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=before), op=sign, right=ast.Constant(value=int(step))),
        ):
            pass
        case _:
            return 0
    if not name == before == variable:
        return 0
    return step if isinstance(sign, ast.Add) else -step if isinstance(sign, ast.Sub) else 0


_LEAVES = (ast.Assert, ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)


def _within(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """All syntax nodes that run with some statements, without the bodies of nested functions and classes."""
    pending: list[ast.AST] = [*body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(node)


def _binds(node: ast.AST) -> str | None:
    """The name that a syntax node stores to or deletes."""
    return node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else None


def _name_of(function: ast.expr) -> str:
    return getattr(function, "id", None) or getattr(function, "attr", "")


def _part(argument: ast.expr) -> int | str | tuple[str] | None:
    match argument:
        case ast.Constant(value=int() as index):
            return int(index)
        case ast.Name():
            return argument.id
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as held], keywords=[]):
            return (held.id,)
    return None


def _from_attribute(call: ast.Call, name: ast.Attribute) -> Place:
    """Where Python locates a method call whose receiver ends on an earlier line: from the method's name on."""
    return name.end_lineno, call.end_lineno, name.end_col_offset - len(name.attr.encode()), call.end_col_offset


def _assigned(index: SourceIndex, target: ast.expr, value: ast.expr, statement: ast.stmt | ast.expr) -> None:
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


def _operands(index: SourceIndex, node: ast.stmt | ast.expr, *parts: ast.expr) -> None:
    names: list[str] = []
    paths: list[Path] = []
    for part in parts:
        inner = part.value if isinstance(part, ast.Starred) else part
        for elt in inner.elts if isinstance(inner, ast.Tuple | ast.List) else [inner]:
            if isinstance(elt, ast.Name):
                names.append(elt.id)
            elif (path := _path(elt)) is not None:
                paths.append(path)
    index.operands[place(node)] = tuple(names)
    if paths:
        index.paths[place(node)] = tuple(paths)


def _path(read: ast.expr) -> Path | None:
    text = ""
    steps: list[tuple[str, str | int]] = []
    while len(steps) <= _DEEPEST:
        match read:
            case ast.Attribute(value=inner, attr=name):
                steps.append((".", name))
                text = f".{name}{text}"
            case ast.Subscript(value=inner, slice=ast.Constant(value=str() | int() as key)):
                steps.append(("[", key))
                text = f'["{key}"]{text}' if isinstance(key, str) else f"[{key}]{text}"
            case ast.Name(id=head):
                return Path(head + text, head, tuple(reversed(steps))) if steps else None
            case _:
                return None
        read = inner
    return None
