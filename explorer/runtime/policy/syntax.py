"""What the language ring does with a syntax tree: refuse what is not allowed, and put a check before every attribute.

An upstream transformer (RestrictedPython) refuses every construct it does not know, so that a new Python brings nothing
in unseen. Where it would replace an operation by a call of a guard, this one leaves the operation as it stands and
checks its object before: `x.data *= 100` becomes `$update(x, "data").data *= 100`. In-place semantics, and the places
that the interpreter reports, are so the plain ones. The names of the checks hold a `$`: no program can write them.
"""

import ast
import re
import sys
from contextlib import contextmanager
from typing import Any

from RestrictedPython import RestrictingNodeTransformer

from explorer.runtime.policy.refusal import Refused
from explorer.runtime.policy.table import DECLARED, KEYWORDS, MAKING, OPERATORS, READABLE, VARIABLES

_DEEP = 50_000  # frames of Python code the transformer may use; the interpreter's own compiler is stricter
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SPOKEN = {
    ast.AsyncFunctionDef: "async def",
    ast.AsyncFor: "async for",
    ast.AsyncWith: "async with",
    ast.Await: "await",
    ast.TryStar: "except*",
}


def transform(tree: ast.Module) -> ast.Module:
    """The tree with its checks. Raises Refused with its place; RecursionError where the compiler would as well."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEP))
    try:
        return ast.fix_missing_locations(_Transformer().visit(tree))
    finally:
        sys.setrecursionlimit(limit)


def check_text(source: str) -> None:
    """Raises Refused for characters that make a text read otherwise than it runs."""
    found = _TURNING.search(source)
    if found is None:
        return
    before = source[: found.start()]
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2].encode("utf-8", "surrogatepass"))
    what = f"U+{ord(found[0]):04X}"
    raise Refused(what, "bidi", (line, line, column, column + len(found[0].encode())))


def is_special(name: str) -> bool:
    """Whether a name belongs to the language: `__init__`."""
    name = plain(name)
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def plain(text: str) -> str:
    """A text that means what it holds: a class derived from `str` may answer anything when it is asked."""
    return text if type(text) is str else str.__str__(text)


def _place(node: Any) -> tuple[int, int, int, int] | None:
    line = getattr(node, "lineno", None)
    return None if line is None else (line, node.end_lineno, node.col_offset, node.end_col_offset)


class _Transformer(RestrictingNodeTransformer):
    """One cell's walk.

    Attributes:
        classes: names of the classes around, innermost last.
        scope: "module", "class" or "function".
    """

    def __init__(self) -> None:
        super().__init__()
        self.classes: list[str] = []
        self.scope = "module"
        self.patterns: list[tuple[str, ast.MatchClass]] = []
        self.matched = 0

    # ---- refusing ---------------------------------------------------------------------------------------------------

    def error(self, node: ast.AST, info: str) -> None:
        """Raises Refused at the node; upstream would go on and collect texts."""
        raise Refused(info, "syntax", _place(node))

    def refuse(self, node: ast.AST, what: str, reason: str) -> None:
        """Raises Refused at the node."""
        raise Refused(what, reason, _place(node))

    def not_allowed(self, node: ast.AST) -> None:
        """Raises Refused for a whole construct."""
        self.refuse(node, _SPOKEN.get(type(node), type(node).__name__), "syntax")

    def warn(self, node: ast.AST, info: str) -> None:
        """Upstream's advice on style is not for us."""

    # ---- names ------------------------------------------------------------------------------------------------------

    def mangled(self, name: str) -> str:
        """A private name as the compiler will write it inside a class."""
        if name.startswith("__") and not name.endswith("__") and self.classes:
            owner = self.classes[-1].lstrip("_")
            return f"_{owner}{name}" if owner else name
        return name

    def check_name(self, node: ast.AST, name: str | None, allow_magic_methods: bool = False) -> None:
        """Special names are for the language; in a class body those that define operators are free."""
        if name is None or not is_special(name):
            return
        if self.scope == "class" and (name in OPERATORS or name == MAKING):
            return
        reason = "definition" if self.scope == "class" else "internals"
        self.refuse(node, name, reason)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Plain variables."""
        read = isinstance(node.ctx, ast.Load) and (node.id in VARIABLES or node.id in OPERATORS)
        if not read and not (self.scope == "module" and node.id in DECLARED):
            self.check_name(node, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter with its annotation."""
        self.check_name(node, node.arg)
        return self.node_contents_visit(node)

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """An argument by name; behind `**` the names are checked when they are known."""
        if node.arg is None:
            value = self.visit(node.value)
            node.value = _call("$keywords", [value], value)
            return node
        if node.arg in KEYWORDS or is_special(node.arg):
            self.refuse(node, f"{node.arg}=", "keyword")
        return self.node_contents_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        """Names of the module."""
        for name in node.names:
            self.check_name(node, name)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        """Names of the function around."""
        return self.visit_Global(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        """`except ... as name`."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        """What may be imported is decided when it is."""
        return self._import(node, [part for alias in node.names for part in alias.name.split(".")])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        """So is what a dot or a star means."""
        return self._import(node, [alias.name for alias in node.names if alias.name != "__version__"])

    def _import(self, node: ast.Import | ast.ImportFrom, names: list[str]) -> ast.AST:
        if getattr(node, "is_lazy", 0):
            self.refuse(node, "lazy import", "syntax")
        for name in [*names, *(alias.asname for alias in node.names)]:
            if name != "*":
                self.check_name(node, name)
        return node

    # ---- attributes -------------------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`x.name` becomes `$read(x, "name").name`, and alike for stores and deletes."""
        check = {ast.Load: "$read", ast.Store: "$write", ast.Del: "$delete"}[type(node.ctx)]
        return self._checked(node, check)

    def _checked(self, node: ast.Attribute, check: str) -> ast.Attribute:
        name = self.mangled(node.attr)
        known = {"$read": READABLE, "$write": OPERATORS}.get(check, ())
        if is_special(name) and name not in known:
            self.refuse(node, f".{name}", "internals")
        value = self.visit(node.value)
        node.value = _call(check, [value, ast.Constant(name)], node)  # a refusal spans the whole expression
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Native: `x.data *= 2` reads and writes the attribute of one checked object."""
        value = self.visit(node.value)
        if isinstance(node.target, ast.Attribute):
            node.target = self._checked(node.target, "$update")
        else:
            node.target = self.visit(node.target)
        node.value = value
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Annotations are expressions like others."""
        return self.node_contents_visit(node)

    # ---- native, since nothing is decided by iterating, unpacking, indexing or calling ------------------------------

    def _native(self, node: ast.AST) -> ast.AST:
        return self.node_contents_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`__match_args__ = ("x", "y")` says what patterns read, so it is allowed where it can be seen."""
        target = node.targets[0]
        if self.scope == "class" and isinstance(target, ast.Name) and target.id == "__match_args__":
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            if all(isinstance(part, ast.Constant) and not is_special(str(part.value)) for part in parts):
                return node
        return self.node_contents_visit(node)

    visit_Subscript = visit_Call = visit_For = visit_With = visit_withitem = _native
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_comprehension = _native
    visit_NamedExpr = visit_arguments = visit_Module = visit_alias = visit_TypeIgnore = _native

    # ---- definitions ------------------------------------------------------------------------------------------------

    @contextmanager
    def _inside(self, scope: str):
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Decorators, defaults and annotations belong outside, the body and the parameters' names inside."""
        if node.name not in OPERATORS:  # one written outside its class becomes its own later
            self.check_name(node, node.name)
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.returns = self.visit(node.returns) if node.returns is not None else None
        with self._inside("function"):
            node.args = self.visit(node.args)
            node.body = self._statements(node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Its arguments and its expression are checked as those of a function."""
        with self._inside("function"):
            return self.node_contents_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Bases are checked, and the class is known as the program's own before any decorator sees it."""
        self.check_name(node, node.name)
        for keyword in node.keywords:
            self.refuse(node, f"class {node.name}({keyword.arg or '**'}=...)", "metaclass")
        for base in node.bases:
            if isinstance(base, ast.Starred):
                self.refuse(base, f"class {node.name}(*...)", "base")
        node.bases = [_call("$base", [base], base) for base in map(self.visit, node.bases)]
        decorators = [self.visit(one) for one in node.decorator_list]
        node.decorator_list = [*decorators, ast.copy_location(ast.Name("$class", ast.Load()), node)]
        self.classes.append(node.name)
        try:
            with self._inside("class"):
                node.body = self._statements(node.body)
        finally:
            self.classes.pop()
        return node

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            done.extend(new if isinstance(new, list) else [new])
        return done

    # ---- match ------------------------------------------------------------------------------------------------------

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        """The classes in its patterns read attributes, so they are checked before: `$match1 = $pattern(Point, ...)`."""
        before, self.patterns = self.patterns, []
        node.subject = self.visit(node.subject)
        for case in node.cases:
            case.pattern = self.visit(case.pattern)
        checks = [self._pattern_check(name, pattern) for name, pattern in self.patterns]
        self.patterns = before
        for case in node.cases:
            case.guard = self.visit(case.guard) if case.guard is not None else None
            case.body = self._statements(case.body)
        return [*checks, node]

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        """A class with the attributes it is to have."""
        for name in node.kwd_attrs:
            if is_special(name):
                self.refuse(node, f".{name}", "internals")
        self.matched += 1
        held = f"$match{self.matched}"
        node.cls = self.visit(node.cls)
        node.patterns = [self.visit(pattern) for pattern in node.patterns]
        node.kwd_patterns = [self.visit(pattern) for pattern in node.kwd_patterns]
        self.patterns.append(
            (held, ast.copy_location(ast.MatchClass(node.cls, node.patterns, node.kwd_attrs, []), node))
        )
        node.cls = ast.copy_location(ast.Name(held, ast.Load()), node.cls)
        return node

    def _pattern_check(self, held: str, node: ast.MatchClass) -> ast.stmt:
        names = ast.Tuple([ast.Constant(self.mangled(name)) for name in node.kwd_attrs], ast.Load())
        value = _call("$pattern", [node.cls, names, ast.Constant(len(node.patterns))], node.cls)
        return ast.copy_location(ast.Assign([ast.Name(held, ast.Store())], value), node.cls)

    def _captured(self, node: ast.MatchAs | ast.MatchStar) -> ast.AST:
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchAs = visit_MatchStar = _captured
    visit_MatchValue = visit_MatchSingleton = visit_MatchSequence = visit_MatchOr = _native

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        """`{"key": value, **rest}`."""
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)


def _call(name: str, arguments: list[ast.expr], at: ast.AST) -> ast.Call:
    call = ast.copy_location(ast.Call(ast.Name(name, ast.Load()), arguments, []), at)
    for part in (call.func, *arguments):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, at)
    return call
