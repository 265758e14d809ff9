"""The recorder's own hooks, without torch's hook ids: programs may read those."""

import itertools
import weakref
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module

torch_register_hook = torch.autograd.Function._register_hook
OWN = "autograd-explorer"
_OF_ALL_MODULES: tuple[Any, ...] = (module._global_forward_pre_hooks, module._global_forward_hooks)
_OF_THEIR_BACKWARD: tuple[Any, ...] = (module._global_backward_pre_hooks, module._global_backward_hooks)
_numbers = itertools.count()


class OwnHooks(dict):
    """A node's hooks, with the weak references that later handles need."""

    __slots__ = ("__weakref__",)


class OwnHandle:
    """A handle that removes our hook from its node."""

    __slots__ = ("_hooks", "_key")

    def __init__(self, hooks: dict, key: object) -> None:
        self._hooks, self._key = weakref.ref(hooks), key

    def remove(self) -> None:
        """Remove the hook, if node and hook still exist."""
        self.taken()

    def taken(self) -> object | None:
        """Remove and return the hook, None if node or hook are gone."""
        hooks = self._hooks()
        return None if hooks is None else hooks.pop(self._key, None)

    def put_back(self, hook: object | None) -> None:
        """Restore a removed hook before all others, if its node still exists."""
        hooks = self._hooks()
        if hooks is not None and hook is not None:
            _put_first(hooks, self._key, hook)


def _put_first(hooks: dict, key: object, hook: object) -> None:
    others = dict(hooks)
    hooks.clear()
    hooks[key] = hook
    hooks.update(others)


def hooked(hooks: dict | None, hook: object, first: bool = False) -> tuple[dict, object]:
    """Add our hook to a node's dictionary. Return it with its key.

    This takes a third of torch's time.
    """
    if hooks is None:
        return OwnHooks({OWN: hook}), OWN
    key = _key()
    if first:
        _put_first(hooks, key, hook)
    else:
        hooks[key] = hook
    return hooks, key


def hook_into(hooks: dict, hook: Callable, *flags: dict) -> Callable[[], None]:
    """Add our hook to torch's. Return a function that removes it.

    torch's own functions for it would use up one of the ids that programs may read.

    Args: flags: torch's dictionaries of hooks with some property, here all true.
    """
    key = _key()
    hooks[key] = hook
    for flag in flags:
        flag[key] = True

    def remove() -> None:
        for held in (hooks, *flags):
            held.pop(key, None)

    return remove


def take_module_hooks() -> list[tuple[Any, dict]]:
    """Remove our hooks on all modules, for `restore_module_hooks`."""
    return [(hooks, {key: hooks.pop(key) for key in list(hooks) if _is_own(key)}) for hooks in _OF_ALL_MODULES]


def modules_hooked_by_others() -> bool:
    """Return whether other code hooks all modules."""
    return any(_OF_THEIR_BACKWARD) or not all(_is_own(key) for hooks in _OF_ALL_MODULES for key in hooks)


def restore_module_hooks(taken: list[tuple[Any, dict]]) -> None:
    """Put back hooks on all modules."""
    for hooks, own in taken:
        hooks.update(own)


@contextmanager
def modules_unhooked():
    """Yield a context without our hooks on all modules."""
    taken = take_module_hooks()
    try:
        yield
    finally:
        restore_module_hooks(taken)


def _is_own(key: object) -> bool:
    return type(key) is tuple and key[:1] == (OWN,)


def _key() -> tuple[str, int]:
    return OWN, next(_numbers)
