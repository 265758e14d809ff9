"""`sympy.diff` of a text, for programs: the tree of the text is read here, and nothing of it is evaluated.

sympy itself turns every text into code; so a program gets this one function of it, and only text comes back.
"""

import ast

# What an expression may name, and what sympy calls it.
FUNCTIONS = {
    **{name: name for name in "sin cos tan asin acos atan sinh cosh tanh exp log sqrt sign floor erf".split()},
    "abs": "Abs",
    "ceil": "ceiling",
    "maximum": "Max",
    "minimum": "Min",
    "relu": "",
    "sigmoid": "",
    "square": "",
}
CONSTANTS = {"pi": "pi", "e": "E"}
MODULES = ("torch", "math", "sympy")
MOST_NODES = 200  # of the tree: derivatives grow
LARGEST = 1000  # of a whole exponent


def differentiate(text: str, variable: str, *more: object) -> str:
    """The derivative of an expression as text. Raises ValueError for what is no formula sympy knows.

    >>> differentiate("x**3 - 1/x", "x")
    '3*x**2 + x**(-2)'
    """
    import sympy

    if more or not isinstance(text, str) or not isinstance(variable, str) or not variable.isidentifier():
        raise ValueError("sympy.diff takes two texts here: the expression and its variable")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError("not an expression") from None
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise ValueError(f"an expression of more than {MOST_NODES} parts")
    symbol = sympy.Symbol(variable, real=True)
    return str(sympy.diff(_built(tree, {variable: symbol}), symbol))


def _built(node: ast.expr, symbols: dict):
    import sympy

    match node:
        case ast.Constant(value=bool() | complex() | str() | bytes()):
            raise ValueError(f"{node.value!r} is no real number")
        case ast.Constant(value=int() as number):
            return sympy.Integer(number)
        case ast.Constant(value=float() as number):
            return sympy.Float(number) if number != int(number) else sympy.Integer(int(number))
        case ast.Name(id=name) if name in symbols:
            return symbols[name]
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="torch" | "math"), attr=name) if name in CONSTANTS:
            return getattr(sympy, CONSTANTS[name])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_built(inner, symbols)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _built(inner, symbols)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(operator, _built(left, symbols), _built(right, symbols))
        case ast.Call(func=function, args=arguments, keywords=[]):
            return _called(_name_of(function), [_built(one, symbols) for one in arguments])
    raise ValueError(f"no formula: {ast.unparse(node)[:80]}")


def _combined(operator: ast.operator, left, right):
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.Pow() if not (right.is_number and abs(right) > LARGEST):
            return left**right
    raise ValueError("no formula: an operation that has no derivative here")


def _name_of(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
            return name
    return ""


def _called(name: str, arguments: list):
    import sympy

    if name not in FUNCTIONS or len(arguments) != (2 if name in ("maximum", "minimum") else 1):
        raise ValueError(f"no formula: {name or 'a call'}")
    match name:
        case "relu":
            return sympy.Max(arguments[0], 0)
        case "sigmoid":
            return 1 / (1 + sympy.exp(-arguments[0]))
        case "square":
            return arguments[0] ** 2
    return getattr(sympy, FUNCTIONS[name])(*arguments)
