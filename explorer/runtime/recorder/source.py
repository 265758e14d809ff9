"""Places in a cell's text: assignment targets, operands, and the statement around each expression.

They have Python's form as in `co_positions`: (line, end line, column, end column), columns in UTF-8 bytes.
"""

import ast
from dataclasses import dataclass, field

Place = tuple[int, int, int, int]
_DEEPEST = 8  # steps of a path
_CONSUMERS = frozenset("all any dict frozenset list max min reduce set sorted sum tuple".split())


@dataclass(frozen=True)
class Path:
    """A path from a variable in an expression: `self.w`, `params["b"]`, `self.weights[0]`, `w`.

    Attributes: text: as displayed. head: the variable. steps: an attribute is (".", its name), an item ("[", its key).
    """

    text: str
    head: str
    steps: tuple[tuple[str, str | float], ...]


@dataclass
class SourceIndex:
    """The syntax of a cell, by place.

    Attributes: targets: place of an assigned expression to its target names, in order (None: not a name). operands,
    paths: place of an expression to its operand names and to its paths. widened: place that the interpreter reports to
    a more informative place: the targets of an unpacking to the unpacked expression, a loop or branch to the iterated
    or tested expression, the last line of a chain of calls to the whole chain, a name behind `not` (whose test has the
    name's place from Python 3.12 on) to both. stores: the target of a store to its whole statement. counters: variables
    that count a loop's rounds upwards, for a `while` by the place of its test. consumers: calls of functions such as
    `sum`, which make many operations or call the program again.
    """

    targets: dict[Place, list[str | None]] = field(default_factory=dict)
    operands: dict[Place, tuple[str, ...]] = field(default_factory=dict)
    paths: dict[Place, tuple[Path, ...]] = field(default_factory=dict)
    widened: dict[Place, Place] = field(default_factory=dict)
    stores: dict[Place, Place] = field(default_factory=dict)
    counters: dict[Place, str] = field(default_factory=dict)
    consumers: set[Place] = field(default_factory=set)

    def add(self, other: "SourceIndex") -> None:
        """Merge the index of another part of the same text."""
        for name, entries in vars(other).items():
            getattr(self, name).update(entries)


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
            if counter := _counter(node):
                index.counters[place(node)] = counter
                index.counters[place(node.iter)] = counter  # Python 3.13 jumps to it
            if isinstance(node.target, ast.Tuple | ast.List):
                index.widened[place(node.target)] = place(node.iter)
        case ast.If() | ast.While() | ast.Assert():
            index.widened[place(node)] = place(node.test)
            if isinstance(node, ast.While) and (counter := _counter(node)):
                index.counters[place(node.test)] = counter


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
            match node.func:
                case ast.Name(id=name) | ast.Attribute(attr="reduce" as name) if name in _CONSUMERS:
                    index.consumers.add(place(node))
            if isinstance(node.func, ast.Attribute):
                receiver = [node.func.value]
                if node.func.value.end_lineno != node.end_lineno:
                    index.widened[_from_attribute(node, node.func)] = place(node)
            _operands(index, node, *receiver, *node.args, *(k.value for k in node.keywords))
        case ast.Subscript() | ast.Attribute():
            _operands(index, node, node.value)


def place(node: ast.stmt | ast.expr) -> Place:
    """Return the place of a syntax node."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _counter(loop: ast.For | ast.While) -> str:
    """Return the variable that counts a loop's rounds upwards, or ""."""
    match loop:
        case ast.For(
            target=ast.Name(id=variable), iter=ast.Call(func=ast.Name(id="range"), args=[_] | [_, _], keywords=[])
        ):
            written = 0
        case ast.While(test=ast.Compare(left=ast.Name(id=variable))):
            written = 1
        case _:
            return ""
    inside = [node for statement in loop.body for node in ast.walk(statement)]
    uses = [node for node in inside if isinstance(node, ast.Name) and node.id == variable]
    stores = [node for node in uses if not isinstance(node.ctx, ast.Load)]
    steps = sum(_is_step(statement, variable) for statement in loop.body)
    return variable if len(stores) == steps == written else ""


def _is_step(statement: ast.stmt, variable: str) -> bool:
    """Return whether a statement adds a number to a variable."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), value=ast.Constant(value=int())):
            return name == variable
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=before), right=ast.Constant(value=int()))
        ):
            return name == before == variable
    return False


def _from_attribute(call: ast.Call, name: ast.Attribute) -> Place:
    """Return Python's place of a method call with an earlier receiver.

    If the receiver ends on an earlier line, it begins at the method's name.
    """
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
            elif (path := path_of(elt)) is not None:
                paths.append(path)
    index.operands[place(node)] = tuple(names)
    if paths:
        index.paths[place(node)] = tuple(paths)


def path_of(read: ast.expr) -> Path | None:
    """Return the path that an expression is, None for another expression."""
    text = ""
    steps: list[tuple[str, str | float]] = []
    while len(steps) <= _DEEPEST:
        match read:
            case ast.Attribute(value=inner, attr=name):
                steps.append((".", name))
                text = f".{name}{text}"
            case ast.Subscript(value=inner, slice=ast.Constant(value=str() | int() | float() as key)):
                steps.append(("[", key))
                text = f'["{key}"]{text}' if isinstance(key, str) else f"[{key}]{text}"
            case ast.Name(id=head):
                return Path(head + text, head, tuple(reversed(steps)))
            case _:
                return None
        read = inner
    return None
