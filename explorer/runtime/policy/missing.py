"""What a program has of a module or a name that is not available: importing it is no attempt, using it is one."""

from explorer.runtime.policy.proxy import Proxy
from explorer.runtime.policy.rows import reason_of


class Missing(Proxy):
    """In place of what was imported. Notebooks import more than they use, all of it in their first cell."""

    def __init__(self, guards, name: str) -> None:
        super().__init__(name)
        self.__dict__["_guards"] = guards

    def used(self, name: str = "") -> None:
        """Raises Refused: it was called, or something of it was asked for."""
        what = f"{self.__name__}.{name}".rstrip(".")
        reason = reason_of(what, "module")
        self._guards.refuse(self.__name__.partition(".")[0] if reason == "module" else what, reason)

    def __call__(self, *arguments, **keywords):
        self.used()


class MissingName(Missing):
    """In place of a name of a module that is available, such as a class beside those it offers."""

    def used(self, name: str = "") -> None:
        """Raises Refused."""
        self._guards.refuse(self.__name__, "library")
