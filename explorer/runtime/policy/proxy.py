"""A module as a program has it."""

import sys
from types import ModuleType

from explorer.runtime.policy.rows import reason_of


class Proxy(ModuleType):
    """What a program gets for a module: those of its names that the table lists, and nothing else."""

    def __repr__(self) -> str:
        if "_shown" in self.__dict__:
            self._shown()
        return f"<module '{self.__name__}'>"


Proxy.__name__ = Proxy.__qualname__ = "module"  # as Python's own messages call it


def unheard_of(proxy: Proxy, name: str) -> bool:
    """Whether the module behind a proxy has no such name either. Private names are never asked for."""
    real = sys.modules.get(proxy.__name__)
    return (
        real is not None and name[:1] != "_" and not reason_of(f"{proxy.__name__}.{name}", "") and name not in dir(real)
    )
