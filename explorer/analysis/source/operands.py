"""Operands of a call in the program's text."""

from collections.abc import Iterator

from msgspec.structs import replace

from explorer.analysis.source.code import Code
from explorer.analysis.source.expressions import Node, expression_tree, is_compound, parse_call, statement_value
from explorer.trace import Argument, Arguments, InputTensor


def operand_code(code: Code, name: str, operator: str, arguments: Arguments, tensors: int, number: int) -> Code | None:
    """Return the text of one input of a call, None if uncertain.

    Args:
        code: text of the call.
        name: torch's name of the operation. operator: Python's, or "".
        arguments: its arguments.
        tensors: number of inputs. number: index of the input, from 0.
    """
    tree = expression_tree(code.text)
    if tree is None:
        value = statement_value(code.text)  # for `a[0] = b` and `a += b`, because the left side must stay
        return None if value is None or number != tensors - 1 else _placed(code, value, 0)
    node = _of_operator(tree, operator, tensors, number)
    node = node or _of_call(tree, code.text, name.strip("_"), arguments, number)
    return None if node is None else _placed(code, node)


def operands_named(code: Code, name: str) -> list[Code]:
    """Return a call's arguments and receiver that are this name."""
    tree = expression_tree(code.text)
    return [] if tree is None else [_placed(code, node) for node in _given(tree) if node.get_code(False) == name]


def is_argument(code: Code) -> bool:
    """Return whether an expression is delimited by brackets or commas."""
    before, after = code.before.rstrip()[-1:], code.after.lstrip()[:1]
    return before in tuple("(,[=") and after in tuple("),]")


def detached(code: Code) -> str:
    """Detach an operand.

    >>> from explorer.trace import Cell, Span
    >>> detached(Code(Cell("y = (a + b) * w", []), Span(0, 1, 4, 1, 11)))
    '(a + b).detach()'
    """
    return f"({code.text}).detach()" if is_compound(code.text) else f"{code.text}.detach()"


def scaled(code: Code, factor: str) -> str:
    """Multiply an operand by a number."""
    text = f"({code.text})" if is_compound(code.text) else code.text
    return f"{factor} * {text}" if is_argument(code) else f"({factor} * {text})"


def _of_operator(tree: Node, operator: str, tensors: int, number: int) -> Node | tuple[Node, Node] | None:
    """Return a side of an operator, as its first and last node."""
    if tree.type == "factor":
        return tree.children[1] if tensors == 1 else None
    if tree.type not in ("arith_expr", "term", "power") or len(tree.children) < 3:
        return None
    *left, sign, right = tree.children
    if not operator or sign.get_code(False) != operator:
        return None
    sides = (left[0], left[-1]), (right, right)
    if tensors == 2:
        return sides[number]
    numbers = [side[0] is side[1] and side[0].type == "number" for side in sides]
    return sides[numbers.index(False)] if tensors == 1 and sum(numbers) == 1 else None


def _of_call(tree: Node, text: str, name: str, arguments: Arguments, number: int) -> Node | None:
    """Return the receiver of a method or index, or an argument."""
    if tree.type != "atom_expr" or tree.children[0].get_code(False) == "await":
        return None
    *head, last = tree.children
    opening = last.children[0].get_code(False)
    if opening != "(":  # x[0], x.T
        return _joined(head) if number == 0 else None
    call = parse_call(text)
    if call is None or call.name != name or any(one.lstrip().startswith("*") for one in call.arguments):
        return None
    written = list(_arguments(last))
    places = arguments.positional if call.is_function else arguments.positional[1:]
    if not call.is_function and _is(arguments.positional[:1], number):
        return _joined(head[:-1])
    plain = [value for key, value in written if not key]
    for given, node in [
        *zip(places, plain, strict=False),
        *((arguments.named.get(key), node) for key, node in written),
    ]:
        if _is((given,), number):
            return node
        if (
            isinstance(given, list | tuple)
            and (at := next((i for i, x in enumerate(given) if _is((x,), number)), -1)) >= 0
        ):
            within = _items(node)
            return within[at] if len(within) == len(given) else None
    return None


def _is(given: tuple[Argument | None, ...], number: int) -> bool:
    return bool(given) and isinstance(given[0], InputTensor) and given[0].number == number


def _given(tree: Node) -> Iterator[Node]:
    if tree.type == "atom_expr":
        *head, last = tree.children
        if last.children[0].get_code(False) == "(":
            yield from (value for _, value in _arguments(last))
            yield from ([head[0]] if len(head) == 2 else [])


def _arguments(trailer: Node) -> Iterator[tuple[str, Node]]:
    """Yield a call's arguments with their keyword, or ""."""
    for node in _within(trailer.children[1:-1], "arglist"):
        keyword = node.type == "argument" and node.children[1].get_code(False) == "="
        yield (node.children[0].get_code(False), node.children[2]) if keyword else ("", node)


def _items(node: Node) -> list[Node]:
    brackets = node.type == "atom" and node.children[0].get_code(False) in ("(", "[")
    return _within(node.children[1:-1], "testlist_comp") if brackets else []


def _within(nodes: list[Node], kind: str) -> list[Node]:
    """Return the nodes between commas."""
    inner = nodes[0].children if len(nodes) == 1 and nodes[0].type == kind else nodes
    return [node for node in inner if node.get_code(False) != ","]


def _joined(nodes: list[Node]) -> tuple[Node, Node] | None:
    return (nodes[0], nodes[-1]) if nodes else None


def _placed(code: Code, node: Node | tuple[Node, Node], shift: int = 1) -> Code:
    """Return the code of a node or neighbouring nodes. `shift`: characters before the parsed text."""
    first, last = node if isinstance(node, tuple) else (node, node)
    ends = [
        (code.span.line + line - 1, column + (code.span.column - shift if line == 1 else 0))
        for line, column in (first.start_pos, last.end_pos)
    ]
    (line, column), (end_line, end_column) = ends
    return Code(code.cell, replace(code.span, line=line, column=column, end_line=end_line, end_column=end_column))
