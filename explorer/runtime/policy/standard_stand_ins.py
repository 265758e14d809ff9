"""What stands in for the standard library's view of its own interpreter: the harmless part of it."""

import ast
import builtins
import gc
import linecache
import logging
import sys
import timeit
import traceback
from types import CodeType, SimpleNamespace
from typing import Any

from explorer.runtime.policy.own_modules import OwnModule, may_be_asked
from explorer.runtime.policy.proxy import Proxy
from explorer.runtime.policy.refusal import Refused
from explorer.runtime.policy.syntax import is_special, transform


def standard_functions(guards) -> dict[tuple[str, str], object]:
    """What stands in for the standard library's functions, by the module's name and the function's."""
    namespace = arguments_class(guards)
    return {
        ("sys", "path"): [""],
        ("sys", "argv"): ["program.py"],
        **_environment(),
        ("logging", "basicConfig"): _basic_config,
        ("logging", "Formatter"): lambda fmt=None, datefmt=None: logging.Formatter(fmt, datefmt),
        ("logging", "StreamHandler"): lambda stream=None: logging.StreamHandler(stream),
        ("gc", "collect"): lambda generation=2: gc.collect(generation),
        ("timeit", "timeit"): _timeit(guards),
        ("timeit", "repeat"): _repeat(guards),
        ("timeit", "Timer"): timer(guards),
        ("inspect", "getsource"): _source(guards),
        ("inspect", "signature"): _signature(guards),
        ("traceback", "print_exc"): lambda: print(_last_error(), end="", file=sys.stderr),
        ("traceback", "format_exc"): _last_error,
        ("argparse", "Namespace"): namespace,
        ("argparse", "ArgumentParser"): _parser(guards, namespace),
    }


# ---- text that is run ----------------------------------------------------------------------------------------------


def compiled(guards: Any, text: str) -> CodeType:
    """A text as code with the checks of any cell. Raises Refused, SyntaxError."""
    try:
        return compile(transform(ast.parse(text)), "<timeit>", "exec", dont_inherit=True)
    except Refused as refused:
        return guards.refuse(refused.what, refused.reason)


def names_for(guards, given: dict | None) -> dict:
    """The names a text of the program runs among: those given, and the builtins of the run, which no name replaces."""
    names = {name: value for name, value in dict.items(given or {}) if _plain(name)}
    return {**names, "__builtins__": guards.builtins, "__name__": "__main__"}


def _plain(name: object) -> bool:
    return type(name) is str and name.isidentifier() and not is_special(name)


def timed_call(guards, statement, setup, names: dict | None):
    """A function that runs a statement, a text or a function, so many times, and gives the seconds of each clock."""
    names = names_for(guards, names)
    if not callable(setup):
        code = compiled(guards, str(setup))
        setup = lambda: exec(code, names)  # noqa: E731
    if not callable(statement):
        text = "def timed():\n" + "".join(f"    {line}\n" for line in str(statement).splitlines() or ["pass"])
        body = compiled(guards, text)

        def prepare():
            setup()
            exec(body, names)
            return names["timed"]

    else:

        def prepare():
            setup()
            return statement

    def seconds(count: int, clock=timeit.default_timer) -> float:
        run, rounds = prepare(), range(count)
        start = clock()
        for _ in rounds:
            run()
        return clock() - start

    return seconds


def timer(guards) -> type:
    """`timeit.Timer`, whose texts are programs like any other."""

    class Timer:
        def __init__(self, stmt="pass", setup="pass", timer=timeit.default_timer, globals=None) -> None:
            self._seconds = timed_call(guards, stmt, setup, globals)

        def timeit(self, number=1_000_000):
            return self._seconds(number)

        def repeat(self, repeat=5, number=1_000_000):
            return [self._seconds(number) for _ in range(repeat)]

        def autorange(self, callback=None):
            count = 1
            while (taken := self._seconds(count)) < 0.2:
                count *= 2
            return count, taken

    Timer.__module__, Timer.__qualname__ = "timeit", "Timer"
    return Timer


def _timeit(guards):
    def timeit(stmt="pass", setup="pass", timer=None, number=1_000_000, globals=None):
        return timed_call(guards, stmt, setup, globals)(number)

    return timeit


def _repeat(guards):
    def repeat(stmt="pass", setup="pass", timer=None, repeat=5, number=1_000_000, globals=None):
        seconds = timed_call(guards, stmt, setup, globals)
        return [seconds(number) for _ in range(repeat)]

    return repeat


# ---- what a program says and sets ----------------------------------------------------------------------------------


def _environment() -> dict[tuple[str, str], object]:
    """An environment of the program's own, empty at first."""
    names: dict[str, str] = {}
    return {("os", "environ"): names, ("os", "getenv"): names.get}


def _basic_config(*, level=None, format=None, datefmt=None, force=False) -> None:
    options = {"level": level, "format": format, "datefmt": datefmt}
    logging.basicConfig(**{name: value for name, value in options.items() if value is not None}, force=force)


# ---- what a program asks about itself ------------------------------------------------------------------------------


def _last_error() -> str:
    problem = sys.exc_info()[1]
    return "NoneType: None\n" if problem is None else "".join(traceback.format_exception_only(problem))


def _source(guards):
    def getsource(thing):
        import inspect

        if not (guards.is_own_function(thing) or thing in guards.own):
            guards.refuse("inspect.getsource", "internals")
        if guards.is_own_function(thing):
            return inspect.getsource(thing)
        body = next((part for part in vars(thing).values() if guards.is_own_function(part)), None)
        if body is None:
            raise OSError("could not get source code")
        lines = linecache.getlines(body.__code__.co_filename)
        tree = ast.parse("".join(lines))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == thing.__name__:
                return "".join(lines[node.lineno - 1 : node.end_lineno])
        raise OSError("could not find class definition")

    return getsource


def _signature(guards):
    def signature(thing):
        import inspect

        return inspect.signature(thing)

    return signature


def literal(guards):
    """`eval` of a text that is a value, such as a list of numbers; any other is code."""

    def eval(text, *names):
        try:
            return ast.literal_eval(text)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            guards.refuse("eval()", "code")

    return eval


def names_of(guards):
    """`dir` of a value; those of a module would promise what is not there."""

    def dir(*things):
        if not things:
            names = sys._getframe(1).f_locals
            return sorted(name for name in names if name.isidentifier())
        if isinstance(things[0], Proxy):
            guards.refuse(f"dir({guards.said(things[0])})", "internals")
        if isinstance(things[0], OwnModule):
            return sorted(filter(may_be_asked, vars(guards.reached(things[0]))))
        return builtins.dir(*things)

    return dir


class AttributeNames(dict):
    """The attributes of an object of the program by name, as `vars` has them; what is put in is checked."""

    def __init__(self, guards, thing: object) -> None:
        super().__init__(thing.__dict__)
        self._guards, self._thing = guards, thing

    def __setitem__(self, name, value) -> None:
        self._guards.setattr(self._thing, name, value)
        super().__setitem__(name, value)

    def __delitem__(self, name) -> None:
        super().__delitem__(name)
        self._guards.delattr(self._thing, name)

    def update(self, *given, **named) -> None:
        for name, value in dict(*given, **named).items():
            self[name] = value

    def __ior__(self, other):  # type: ignore[misc] # as a dictionary's, in place
        self.update(other)
        return self

    def setdefault(self, name, value=None):
        if name not in self:
            self[name] = value
        return self[name]

    def pop(self, name, *default):
        if default and name not in self:
            return default[0]
        value = self[name]
        del self[name]
        return value

    def popitem(self):
        name = next(reversed(self))
        return name, self.pop(name)

    def clear(self) -> None:
        for name in list(self):
            del self[name]


# ---- arguments -----------------------------------------------------------------------------------------------------


def namespace_class(guards, module: str, name: str) -> type:
    """A class of objects with attributes, under names that a program may give."""

    class namespace(SimpleNamespace):
        def __init__(self, **values) -> None:
            super().__init__(**guards.keywords(values))

    namespace.__module__, namespace.__qualname__, namespace.__name__ = module, name, name
    return namespace


def arguments_class(guards) -> type:
    kind = namespace_class(guards, "argparse", "Namespace")

    def shown(self) -> str:
        return f"Namespace({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    for name, method in (("__repr__", shown), ("__contains__", lambda self, name: name in vars(self))):
        setattr(kind, name, method)
    return kind


def _parser(guards, kind: type):
    import argparse

    formatters = [argparse.HelpFormatter, argparse.ArgumentDefaultsHelpFormatter]
    formatters += [argparse.RawDescriptionHelpFormatter, argparse.RawTextHelpFormatter]

    class ArgumentParser(argparse.ArgumentParser):
        def __init__(self, prog=None, usage=None, description=None, epilog=None, **options) -> None:
            options = {name: options[name] for name in options if name in ("formatter_class", "add_help")}
            given = options.get("formatter_class", formatters[0])
            if not any(given is one for one in formatters):  # another would be given the parser's insides
                guards.refuse("ArgumentParser(formatter_class=...)", "keyword")
            super().__init__(prog or "program.py", usage, description, epilog, **options)

        def add_argument(self, *names, **options):
            if "action" in options and not isinstance(options["action"], str):
                guards.refuse("add_argument(action=...)", "keyword")
            action = super().add_argument(*names, **options)
            if is_special(action.dest):
                guards.refuse(f"add_argument(dest={action.dest!r})", "internals")

        def set_defaults(self, **values) -> None:
            super().set_defaults(**guards.keywords(values))

        def parse_known_args(self, args=None, namespace=None):
            if namespace is not None and type(namespace) is not kind:  # every option is an attribute to set
                guards.refuse("parse_args(namespace=...)", "write")
            return super().parse_known_args([] if args is None else [str(one) for one in args], namespace or kind())

    ArgumentParser.__module__, ArgumentParser.__qualname__ = "argparse", "ArgumentParser"
    return ArgumentParser
