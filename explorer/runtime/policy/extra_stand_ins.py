"""Functions that stand in for those of libraries beside torch, numpy and pandas: the same, but checked."""

from explorer.runtime.policy.syntax import is_special
from explorer.runtime.policy.table import OPERATORS


def extra_functions(guards) -> dict[tuple[str, str], object]:
    """By the module's name and the function's."""
    return {("d2l.torch", "add_to_class"): _add_to_class(guards)}


def _add_to_class(guards):
    """A class of the program gets what its body may define; one of the book's, public names."""
    from explorer.runtime.book import CLASSES

    def add_to_class(Class):
        if not isinstance(Class, type) or not (Class in guards.own or Class in CLASSES):
            guards.refuse(f"d2l.add_to_class({guards.said(Class)})", "write")

        def wrapper(obj):
            if not guards.is_own_function(obj):
                guards.refuse(f"d2l.add_to_class(...)({guards.said(obj)})", "write")
            name = obj.__name__
            if is_special(name):
                allowed = name in OPERATORS
            else:
                allowed = Class not in CLASSES or name not in guards.private(Class)
                if Class in guards.own:
                    guards.write(Class, name)
            if not allowed:
                guards.refuse(f"{Class.__name__}.{name}", "definition")
            setattr(Class, name, obj)
            guards.changed()

        return wrapper

    return add_to_class
