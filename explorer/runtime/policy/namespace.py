"""The builtins of a run under the language ring."""

import builtins
import contextlib
from collections.abc import Callable

import numpy

from explorer.runtime.policy.chosen_names import no_special_names
from explorer.runtime.policy.closing import closed, closed_functions
from explorer.runtime.policy.guards import Guards
from explorer.runtime.policy.memory import array_class
from explorer.runtime.policy.modules import Modules
from explorer.runtime.policy.own_modules import OwnModules
from explorer.runtime.policy.proxy import Proxy
from explorer.runtime.policy.stand_ins import checked_help, checked_print, stand_in_methods
from explorer.runtime.policy.standard_stand_ins import literal, names_of
from explorer.runtime.policy.table import BUILTINS, REFUSED_BUILTINS


class Ring:
    """The language ring of one run: its checks, its modules, its builtins."""

    def __init__(self, refused: Callable[[str, str], None]) -> None:
        """`refused(what, reason)` is called at every refusal, also where the program catches it."""
        self.guards = Guards(refused)
        self.guards.stand_ins = stand_in_methods(self.guards)
        self.guards.shown_as = {numpy.ndarray: array_class(self.guards)}
        self._closed = closed_functions(self.guards)
        self.modules = Modules(self.guards, self._closed)
        self.guards.absent = self.modules.absent

    def restrict(self, names: dict) -> None:
        """Make a dictionary of builtins the program's: what the table lists stays, the rest of Python's own goes.

        Names that are not Python's (a notebook's `display`, `Out`) stay as they are.
        """
        kept = set(BUILTINS.split())
        exceptions = {name for name, value in vars(builtins).items() if _is_exception(value)}
        for name in vars(builtins):
            if name not in kept | exceptions and name != "help":
                names.pop(name, None)
        for reason, words in REFUSED_BUILTINS.items():
            for name in words.split():
                names[name] = self._refuser(name, reason)
        guards = self.guards
        names.update(
            {
                **{"$read": guards.read, "$write": guards.write, "$update": guards.update, "$delete": guards.delete},
                **{
                    "$keywords": guards.keywords,
                    "$base": guards.base,
                    "$class": guards.adopt,
                    "$pattern": guards.pattern,
                },
                **{"getattr": guards.getattr, "hasattr": guards.hasattr, "setattr": guards.setattr},
                **{"delattr": guards.delattr, "type": guards.type_of, "vars": guards.names_of},
                **{"dir": names_of(guards), "eval": literal(guards)},
                "print": checked_print(guards),
                "help": checked_help(guards, names.get("help", builtins.help)),
                "__import__": self.modules.importer,
                "__name__": "__main__",
            }
        )
        guards.builtins = names

    def take_modules(self, load: Callable[[str, bytes, dict], None]) -> OwnModules:
        """Let the program import its own files, whose text `load` runs; after `restrict`."""
        own = self.modules.own = OwnModules(self.guards.files, self.guards.builtins, load)
        self.guards.reached = own.reached
        return own

    def around(self):
        """A context for the run: torch checks the indices of every sparse tensor, which it leaves out otherwise."""
        import torch

        context = contextlib.ExitStack()
        context.enter_context(no_special_names())
        context.enter_context(closed(self._closed))
        context.enter_context(torch.sparse.check_sparse_tensor_invariants(True))
        return context

    def module(self, name: str) -> Proxy:
        """The module as the program sees it."""
        return self.modules.get(name)

    def _refuser(self, name: str, reason: str):
        def refused(*arguments, **keywords):
            self.guards.refuse(f"{name}()", reason)

        return refused


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException) and not issubclass(value, BaseExceptionGroup)
