"""What stands in for parts of torch: the same, but for what would be reached through them."""

import functools
from collections.abc import MutableMapping

from explorer.runtime.policy.memory import saved_hooks
from explorer.runtime.policy.syntax import is_special


class Parts(MutableMapping):
    """The parts of a module by name, as `_modules` has them. Only parts go in: a module finds its attributes there."""

    def __init__(self, guards, parts: dict, what: str) -> None:
        self._guards, self._parts, self._what = guards, parts, what

    def __getitem__(self, name):
        return self._parts[name]

    def __setitem__(self, name, part) -> None:
        import torch

        if is_special(str(name)) or not isinstance(part, torch.nn.Module | torch.Tensor | None):
            self._guards.refuse(f"Module.{self._what}[{name!r}] =", "write")
        self._parts[name] = part

    def __delitem__(self, name) -> None:
        del self._parts[name]

    def __iter__(self):
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return repr(self._parts)


def parts(guards, name: str):
    return lambda module: Parts(guards, getattr(module, name), name)


@functools.cache
def loader() -> type:
    """A DataLoader that loads in the program's own process, the only one it has."""
    import torch.utils.data

    class DataLoader(torch.utils.data.DataLoader):
        def __init__(
            self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, *rest, **options
        ):
            for name in ("multiprocessing_context", "prefetch_factor", "persistent_workers"):
                options.pop(name, None)
            super().__init__(dataset, batch_size, shuffle, sampler, batch_sampler, 0, *rest, **options)

    DataLoader.__module__, DataLoader.__qualname__ = "torch.utils.data.dataloader", "DataLoader"
    return DataLoader


@functools.cache
def checked_saving() -> type:
    """`saved_tensors_hooks` whose hooks give back what the way back can use."""
    import torch

    class saved_tensors_hooks(torch.autograd.graph.saved_tensors_hooks):
        def __init__(self, pack_hook, unpack_hook) -> None:
            super().__init__(*saved_hooks(pack_hook, unpack_hook))

    saved_tensors_hooks.__module__ = "torch.autograd.graph"
    saved_tensors_hooks.__qualname__ = "saved_tensors_hooks"
    return saved_tensors_hooks


def plain_name(guards, method: str):
    def register(self, name, *arguments, **keywords):
        if isinstance(name, str) and is_special(name):
            guards.refuse(f"Module.{method}({name!r})", "internals")
        return getattr(self, method)(name, *arguments, **keywords)

    register.__name__ = method
    return register


def checked_hook(guards, method: str):
    """A hook may give a call other arguments by name; they are checked like those in a call."""

    def register(self, hook, *arguments, **keywords):
        @functools.wraps(hook)
        def checked(*given):
            result = hook(*given)
            if isinstance(result, tuple):
                result = tuple(result)
                if len(result) == 2 and isinstance(result[1], dict):
                    result = result[0], guards.keywords(result[1])
            return result

        return getattr(self, method)(checked, *arguments, **keywords)

    register.__name__ = method
    return register


def copied_indices(self):
    """Of a sparse tensor, apart from it: its own are used unchecked."""
    return self.indices().clone()


def scheduler_state(self):
    """Without the insides of the objects that are called for the rate, which torch puts in as they are."""
    state = self.state_dict()
    states = [state]
    for one in states:
        if "lr_lambdas" in one:
            one["lr_lambdas"] = [None for _ in one["lr_lambdas"]]
        states += [inner for inner in one.get("_schedulers", ()) if isinstance(inner, dict)]
    return state


def functional_call(guards):
    def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, **options):
        import torch

        if kwargs is not None:
            kwargs = dict(guards.keywords(kwargs))
        return torch.func.functional_call(module, parameter_and_buffer_dicts, args, kwargs, **options)

    return functional_call


def parametrize(module, tensor_name, parametrization):
    from torch.nn.utils.parametrize import register_parametrization

    return register_parametrization(module, tensor_name, parametrization)
