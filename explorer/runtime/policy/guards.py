"""What stands behind the checks of one run: which attribute of which object may be read, set or deleted."""

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NoReturn

from explorer.runtime.notebook.files import Files
from explorer.runtime.policy.kinds import (
    columns_of,
    full_name,
    is_generic,
    is_node,
    kept_private,
    kept_state,
    listed,
    row_of,
)
from explorer.runtime.policy.memory import UNMADE, ShownObject, copied, unmade
from explorer.runtime.policy.missing import Missing
from explorer.runtime.policy.own_modules import OwnModule, may_be_asked
from explorer.runtime.policy.proxy import Proxy, unheard_of
from explorer.runtime.policy.refusal import Refused
from explorer.runtime.policy.rows import Row, reason_of, type_row
from explorer.runtime.policy.standard_stand_ins import AttributeNames
from explorer.runtime.policy.syntax import is_special, plain
from explorer.runtime.policy.table import BASES, KEYWORDS, MAKING, OPERATORS, READABLE
from explorer.runtime.policy.table_types import SETTINGS

_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, type(str.join), type(int.__add__), type("".__len__))
_FUNCTION_NAMES = frozenset(["__name__", "__qualname__", "__doc__", "__module__"])
_CLASS_NAMES = _FUNCTION_NAMES | OPERATORS
_MODULE_NAMES = ("__name__", "__doc__", "__version__")
_MISSING = object()
_PLAIN = (object, int, float, tuple, list, dict, set)


class Guards:
    """The checks of one run.

    Attributes:
        own: the classes the program defined.
        refused: called with what and why at every refusal.
        stand_ins: by type and method, the function that stands in for the method.
        shown_as: classes that a program never has themselves, and what it has in their place.
        builtins: those of the run.
        absent: asked for what a proxy does not have yet; whether it has it now.
        skipped: called with what, why and a name where something is taken in place of what was asked for.
        files: the files of the run.
        reached: gives the module that a stand-in for one of the program's own stands for.
    """

    def __init__(self, refused: Callable[[str, str], None]) -> None:
        self.own: set[type] = set()
        self.refused = refused
        self.stand_ins: dict[tuple[str, str], Callable] = {}
        self.shown_as: dict[type, type] = {}
        self.builtins: dict[str, object] = {}
        self.absent: Callable[[Proxy, str], bool] = lambda proxy, name: False
        self.skipped: Callable[[str, str, str], None] = lambda what, reason, detail: None
        self.files = Files(lambda bound: None)
        self.reached: Callable[[Any], ModuleType] = lambda module: module
        self._readable: set[tuple[type, str]] = set()
        self._rows: dict[type, list[tuple[type, Row]]] = {}
        self._private: dict[type, frozenset[str]] = {}

    def changed(self) -> None:
        """A class is no longer what it was: what was found out about reading is forgotten."""
        self._readable.clear()

    def refuse(self, what: str, reason: str) -> NoReturn:
        """Raises Refused, after the run was told."""
        reason = reason_of(what, reason)
        self.refused(what, reason)
        raise Refused(what, reason)

    # ---- checks that the transformed program calls -----------------------------------------------------------------

    def read(self, thing: object, name: str) -> object:
        """The object whose attribute `name` may be read in place of that of `thing`: nearly always `thing` itself."""
        kind = type(thing)
        if kind is Proxy:
            if name in thing.__dict__ and (name[0] != "_" or name in READABLE):
                return thing
        elif (kind, name) in self._readable:
            return thing
        return self._read(thing, kind, name)

    def update(self, thing: object, name: str) -> object:
        """For `thing.name += ...`: both read and set."""
        self.read(thing, name)
        return self.write(thing, name)

    def write(self, thing: object, name: str) -> object:
        """`thing`, if its attribute may be set."""
        kind = type(thing)
        if not self._may_write(thing, kind, name):
            self.refuse(f"{self.said(thing)}.{name} =", "write")
        return self.reached(thing) if kind is OwnModule else thing

    def delete(self, thing: object, name: str) -> object:
        """`thing`, if its attribute may be deleted."""
        kind = type(thing)
        if isinstance(thing, type):
            self.changed()  # what it hid is seen again
        if not self._may_write(thing, kind, name):
            self.refuse(f"del {self.said(thing)}.{name}", "write")
        return self.reached(thing) if kind is OwnModule else thing

    def keywords(self, given: Any) -> object:
        """What stands behind `**` in a call."""
        named = given if type(given) is dict else dict(given)
        if any(type(name) is not str and isinstance(name, str) for name in named):
            named = {plain(name) if isinstance(name, str) else name: value for name, value in dict.items(named)}
        for name in named:
            if name in KEYWORDS or (isinstance(name, str) and is_special(name)):
                self.refuse(f"{name}=", "keyword")
        return named

    def base(self, base: object) -> object:
        """A class that the program derives from."""
        if isinstance(base, Missing):
            base.used()
        origin = getattr(base, "__origin__", base) if is_generic(base) else base
        if isinstance(origin, type):
            if self.is_own(origin) or issubclass(origin, BaseException) or listed(origin, BASES):
                return base
        elif f"{getattr(origin, '__module__', '')}.{getattr(origin, '__qualname__', '')}" in BASES:  # typing.NamedTuple
            return base
        self.refuse(f"class ...({self.said(base)})", "base")

    def adopt(self, kind: type) -> type:
        """A class that the program has just defined."""
        self.own.add(kind)
        own = [base for base in kind.__mro__ if base in self.own]
        libraries = {full_name(base) for base in kind.__mro__ if base not in self.own}
        for (library, name), stand_in in self.stand_ins.items():
            hidden = isinstance(stand_in, property) and library in libraries  # `_parameters` of a Module
            if hidden and any(name in base.__dict__ for base in own):
                self.refuse(f"{kind.__name__}.{name}", "definition")
        state = frozenset().union(*(kept_state(base) for base in kind.__mro__ if base not in self.own))
        for name in state:
            if any(name in base.__dict__ for base in own):
                self.refuse(f"{kind.__name__}.{name}", "definition")
        return kind

    def pattern(self, kind: object, names: tuple[str, ...], count: int) -> object:
        """A class in a pattern of `match`, which will read these attributes, and `count` more by its own order."""
        if not isinstance(kind, type):
            return kind  # Python says it
        kind = self.meant(kind)
        if count and kind not in (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple):
            names = (*names, *map(str, getattr(kind, "__match_args__", ())))
        for name in names:
            for meant in (kind, *self._own_below(kind)):
                verdict = not is_special(name) and self._decide(meant, name, meant.__mro__)
                if verdict is None:
                    verdict = self._decide_instance(None, meant, name)
                if verdict is not True:
                    self.refuse(f"{kind.__name__}({name}=...)", "attribute")
        return kind

    def _own_below(self, kind: type) -> list[type]:
        """The program's classes derived from a class: what it says of one it says of theirs."""
        return [own for own in self.own if own is not kind and issubclass(own, kind)] if kind in self.own else []

    # ---- types -----------------------------------------------------------------------------------------------------

    def is_own(self, kind: type) -> bool:
        """Whether the program defined the class, or one it is derived from."""
        return kind in self.own or any(base in self.own for base in kind.__mro__)

    def meant(self, kind: type) -> type:
        """The class itself where a program has one that stands in for it."""
        return next((real for real, shown in self.shown_as.items() if shown is kind), kind)

    def is_known(self, kind: type) -> bool:
        """Whether the table has a row for the type."""
        return kind in self.own or bool(self.rows(kind))

    def rows(self, kind: type) -> list[tuple[type, Row]]:
        """The rows of a type and of those it is derived from, nearest first."""
        known = self._rows.get(kind)
        if known is None:
            known = self._rows[kind] = [
                found for base in kind.__mro__ if base not in self.own for found in row_of(base)
            ]
            if kind is not object and known and known[-1][0] is object:
                known.pop()
            if not known and is_node(kind):
                known.append((kind, type_row("torch.autograd.graph.Node")))
        return known

    def _write_rows(self, kind: type) -> list[Row]:
        found = (type_row(full_name(base), writes=True) for base in kind.__mro__ if base not in self.own)
        return [row for row in found if row is not None]

    def said(self, thing: object) -> str:
        """How a refusal names an object."""
        if isinstance(thing, type | ModuleType):
            return thing.__name__
        if isinstance(thing, _FUNCTIONS):
            return getattr(thing, "__name__", "function")
        return type(thing).__name__

    # ---- reading ---------------------------------------------------------------------------------------------------

    def _read(self, thing: Any, kind: type, name: str) -> object:
        if kind is Proxy:
            if self.absent(thing, name) or unheard_of(thing, name):
                return thing  # what no library has, Python says: a slip is no attempt
            self.refuse(f"{thing.__name__}.{name}", "library")
        if isinstance(thing, Missing):
            thing.used(name)
        if kind is OwnModule and (may_be_asked(name) or name in _MODULE_NAMES):
            return self.reached(thing)
        if kind is super:
            return self._read_super(thing, name)
        if isinstance(thing, type):
            return self._read_class(self.meant(thing), name)
        if isinstance(thing, _FUNCTIONS):
            return self._read_function(thing, name)
        if name == "__dict__":
            return ShownObject(names=self.names_of(thing))
        if name == "__class__":
            return ShownObject(kind=self.type_of(thing))
        verdict = self._decide(kind, name, kind.__mro__)
        if verdict is None:
            verdict = self._decide_instance(thing, kind, name)
        if verdict is True and (name == "saved_tensors" or name.startswith("_saved_")) and not self.is_own(kind):
            return SimpleNamespace(**{name: copied(getattr(thing, name))})  # the way back uses them unchecked
        if verdict is True:
            self._readable.add((kind, name))
            return thing
        if callable(verdict):
            return SimpleNamespace(**{name: MethodType(verdict, thing)})
        if isinstance(verdict, property):
            return SimpleNamespace(**{name: verdict.fget(thing)})
        if verdict is False:
            self._refuse_attribute(kind, name)
        return thing  # neither the type nor the object has it: Python says it

    def _refuse_attribute(self, kind: type, name: str) -> NoReturn:
        reason = "internals" if name.startswith("_") else "attribute"
        for base in kind.__mro__:
            what = f"{base.__name__}.{name}"
            found = reason_of(what, "")
            if found:
                self.refuse(what, found)
        self.refuse(f"{kind.__name__}.{name}", reason)

    def _decide(self, kind: type, name: str, order: tuple[type, ...]) -> object:
        """Whether instances of `kind` may show what its classes in `order` define.

        True, False, a function that stands in for the method, a property for an attribute, or None when none has it.
        """
        rows = self.rows(kind)
        if is_special(name):
            known = self.is_own(kind) or bool(rows)
            return known and (name in OPERATORS or name in _FUNCTION_NAMES)
        owner = next((base for base in order if name in base.__dict__), None)
        if owner not in self.own:
            for base, _ in rows:
                stand_in = self.stand_ins.get((full_name(base), name))
                if stand_in is not None:
                    return stand_in
        if owner is None:
            return None
        if owner in self.own:
            return not (name.startswith("_") and name in self.private(kind))
        return self._shown_by(rows, name)

    def _decide_instance(self, thing: object, kind: type, name: str) -> object:
        """Whether a program may read what only this object has, and not its class."""
        if self.is_own(kind):
            return name not in self.private(kind)
        if self._shown_by(self.rows(kind), name):
            return True
        if name in getattr(thing, "__dict__", ()):
            return False
        if any("__getattr__" in base.__dict__ for base in kind.__mro__):
            columns = columns_of(thing, kind)
            if columns is None or name.startswith("_"):
                return False
            return True if name in columns else None
        return None

    def _shown_by(self, rows: list[tuple[type, Row]], name: str) -> bool:
        """Whether the rows of a type let a name in: the nearest that says it; then all of them, none against it."""
        for _, row in rows:
            if row.says(name):
                return True
            if name in row.without:
                return False
        return any(name in row for _, row in rows)

    def private(self, kind: type) -> frozenset[str]:
        """Names with a leading underscore that a library keeps in instances of its classes."""
        known = self._private.get(kind)
        if known is None:
            names = set().union(*(kept_private(base) for base in kind.__mro__ if base not in self.own))
            rows = self.rows(kind)
            known = self._private[kind] = frozenset(name for name in names if not any(name in row for _, row in rows))
        return known

    def _read_class(self, thing: type, name: str) -> object:
        if is_special(name):
            if name == "__class__":
                self.refuse(f"{thing.__name__}.__class__", "internals")
            known = self.is_known(thing) or issubclass(thing, BaseException) or listed(thing, BASES)
            if name == MAKING and self._made_plainly(thing.__mro__):
                return thing
            if not (name in _FUNCTION_NAMES or (name in OPERATORS and known)):
                self.refuse(f"{thing.__name__}.{name}", "internals")
            return thing
        verdict = self._decide(thing, name, thing.__mro__)
        if verdict is None:
            verdict = not hasattr(type(thing), name)
        if callable(verdict):
            return SimpleNamespace(**{name: verdict})
        if verdict is not True:
            self._refuse_attribute(thing, name)
        return thing

    def _read_super(self, thing: Any, name: str) -> object:
        kind, instance = thing.__self_class__, thing.__self__
        if kind is None:
            self.refuse(f"super().{name}", "internals")
        order = kind.__mro__
        order = order[order.index(thing.__thisclass__) + 1 :]
        if is_special(name):
            if name not in OPERATORS and not (name == MAKING and self._made_plainly(order)):
                self.refuse(f"super().{name}", "internals")
            return thing
        verdict = self._decide(kind, name, order)
        if callable(verdict):
            bound = verdict if isinstance(instance, type) else MethodType(verdict, instance)
            return SimpleNamespace(**{name: bound})
        if verdict is False:
            self._refuse_attribute(kind, name)
        return thing

    def _made_plainly(self, order: tuple[type, ...]) -> bool:
        """Whether the first of some classes that says how objects are made is the program's or one of Python's own."""
        maker = next(base for base in order if MAKING in base.__dict__)
        return maker in self.own or maker in _PLAIN

    def _read_function(self, thing: object, name: str) -> object:
        if name in _FUNCTION_NAMES:
            return thing
        if isinstance(thing, MethodType):
            thing = thing.__func__
            if not isinstance(thing, _FUNCTIONS):  # a class made a method of any object
                return self.read(thing, name)
        if not name.startswith("_") and self.is_own_function(thing) and name in thing.__dict__:
            return thing
        if not hasattr(type(thing), name) and name not in getattr(thing, "__dict__", ()):
            return thing  # Python says it
        self._refuse_attribute(type(thing), name)

    def is_own_function(self, thing: object) -> bool:
        """Whether a function was written in a cell of the program."""
        return type(thing) is FunctionType and thing.__code__.co_filename.startswith("<cell ")

    # ---- setting ---------------------------------------------------------------------------------------------------

    def _may_write(self, thing: Any, kind: type, name: str) -> bool:
        if type(name) is not str:
            return False
        if is_special(name):
            return isinstance(thing, type) and thing in self.own and name in OPERATORS
        if kind is OwnModule:
            return may_be_asked(name)
        if kind is Proxy:
            added = name[:1] != "_" and unheard_of(thing, name)  # the proxy is this run's alone
            return added or name in SETTINGS.get(thing.__name__, "").split()
        if isinstance(thing, type):
            return thing in self.own and all(name not in self.private(own) for own in (thing, *self._own_below(thing)))
        if kind is FunctionType:
            return self.is_own_function(thing) and not name.startswith("_")
        if self.is_own(kind):
            return name not in self.private(kind)
        for row in self._write_rows(kind):
            if name in row.names and name not in ("new", "column"):
                return True
            if (
                "new" in row.names
                and not name.startswith("_")
                and not any(name in base.__dict__ for base in kind.__mro__)
            ):
                return True
            if "column" in row.names and not name.startswith("_") and name in columns_of(thing, kind):
                return True
        return False

    # ---- builtins that ask the same --------------------------------------------------------------------------------

    def type_of(self, *arguments) -> type:
        """`type(thing)`, of things whose type the program may know; never the form that makes classes."""
        if len(arguments) != 1:
            self.refuse("type(name, bases, namespace)", "metaclass")
        kind = type(arguments[0])
        if not (self.is_own(kind) or issubclass(kind, BaseException) or (self.rows(kind) and kind.__module__ != "_io")):
            self.refuse(f"type({self.said(arguments[0])})", "internals")
        if issubclass(kind, AttributeNames):
            return dict
        if kind not in self.shown_as and not self.is_own(kind) and kind.__module__.startswith(UNMADE):
            self.shown_as[kind] = unmade(self, kind)
        return self.shown_as.get(kind, kind)

    def names_of(self, *things) -> dict[str, object]:
        """`vars(thing)`, of what holds nothing but what the program put in."""
        if len(things) != 1:
            self.refuse("vars()", "internals")
        kind = type(things[0])
        plain = all(base in self.own or base in (object, SimpleNamespace) for base in kind.__mro__)
        if not (plain or issubclass(kind, SimpleNamespace)) or not hasattr(things[0], "__dict__"):
            self.refuse(f"vars({self.said(things[0])})", "internals")
        return AttributeNames(self, things[0])

    def getattr(self, thing: object, name: str, *default) -> object:
        """`getattr`."""
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
        if is_special(name) and name not in READABLE:
            self.refuse(f"{self.said(thing)}.{name}", "internals")
        return getattr(self.read(thing, name), name, *default)

    def hasattr(self, thing: object, name: str) -> bool:
        """`hasattr`."""
        return self.getattr(thing, name, _MISSING) is not _MISSING

    def setattr(self, thing: object, name: str, value: object) -> None:
        """`setattr`."""
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
        setattr(self.write(thing, name), name, value)

    def delattr(self, thing: object, name: str) -> None:
        """`delattr`."""
        if type(name) is not str:
            raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
        delattr(self.delete(thing, name), name)
