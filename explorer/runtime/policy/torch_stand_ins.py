"""What stands in for parts of torch: the same, but for what would be reached through them."""

import functools
from collections.abc import MutableMapping

from explorer.runtime.policy.memory import saved_hooks
from explorer.runtime.policy.standard_stand_ins import timed_call
from explorer.runtime.policy.syntax import is_special


class Parts(MutableMapping):
    """The parts of a module by name, as `_modules` has them. Only parts go in: a module finds its attributes there."""

    def __init__(self, guards, parts: dict, what: str) -> None:
        self._guards, self._parts, self._what = guards, parts, what

    def __getitem__(self, name):
        return self._parts[name]

    def __setitem__(self, name, part) -> None:
        import torch

        if (
            "hooks" in self._what
            or type(name) is not str
            or is_special(name)
            or not isinstance(part, torch.nn.Module | torch.Tensor | None)
        ):
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
    """A copy of a sparse tensor's indices: its own are used unchecked."""
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


class Storage:
    """The entries behind a tensor in one row, as `storage()` gives them; their place and their size stay."""

    def __init__(self, storage) -> None:
        self._storage = storage

    def __getitem__(self, place):
        found = self._storage[place]
        return found if isinstance(found, int | float | complex) else Storage(found)

    def __setitem__(self, place: int, value) -> None:
        self._storage[int(place)] = value

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self):
        return (self._storage[place] for place in range(len(self)))

    def __repr__(self) -> str:
        return repr(self._storage)

    def tolist(self) -> list:
        return list(self)

    def size(self) -> int:
        return len(self)

    def nbytes(self) -> int:
        return self._storage.nbytes()

    def element_size(self) -> int:
        return self._storage.element_size()

    def data_ptr(self) -> int:
        return self._storage.data_ptr()

    @property
    def dtype(self):
        return self._storage.dtype

    @property
    def device(self):
        return self._storage.device


def stored(method: str):
    return lambda tensor: Storage(getattr(tensor, method)())


def jit_functions() -> dict[tuple[str, str], object]:
    """Functions and modules come back as they are: they compute the same, line by line where one can look."""

    def given_back(thing=None, *example, **options):
        return thing if callable(thing) else lambda later: later

    names = ("script", "trace", "script_if_tracing", "ignore", "unused", "export")
    return {("torch.jit", name): given_back for name in names} | {
        ("torch.jit", name): lambda: False for name in ("is_scripting", "is_tracing")
    }


def measuring_timer(guards) -> type:
    """`torch.utils.benchmark.Timer`, whose texts are programs like any other."""
    from torch.utils.benchmark.utils.common import Measurement, TaskSpec

    class Timer:
        def __init__(
            self, stmt="pass", setup="pass", global_setup="", timer=None, globals=None, label=None, sub_label=None,
            description=None, env=None, num_threads=1, language="python",
        ) -> None:  # fmt: skip
            self._seconds = timed_call(guards, stmt, setup, globals)
            said = stmt if isinstance(stmt, str) else getattr(stmt, "__name__", "function")
            self._spec = TaskSpec(said, str(setup), "", label, sub_label, description, env, 1)

        def _measured(self, count: int, rounds: int):
            return Measurement(count, [self._seconds(count) for _ in range(rounds)], self._spec)

        def timeit(self, number=1_000_000):
            self._seconds(max(number // 100, 2))
            return self._measured(number, 1)

        def blocked_autorange(self, callback=None, min_run_time=0.2):
            count, limit = 1, float(min_run_time)
            while (taken := self._seconds(count)) < limit / 100 and count < 10**6:
                count *= 10
            return self._measured(count, max(1, min(int(limit / max(taken, 1e-9)), 1000)))

        def adaptive_autorange(self, threshold=0.1, *, min_run_time=0.01, max_run_time=10.0, callback=None):
            return self.blocked_autorange(callback, min_run_time)

        autorange = blocked_autorange

    Timer.__module__, Timer.__qualname__ = "torch.utils.benchmark.utils.timer", "Timer"
    return Timer


def default_tensor_type(guards):
    def set_default_tensor_type(t):
        import torch

        plain = [getattr(torch, f"{kind}Tensor") for kind in ("Float", "Double", "Half", "BFloat16")]
        found = next((one for one in plain if t is one or t == f"torch.{one.__name__}"), None)
        if found is None:
            guards.refuse("torch.set_default_tensor_type", "library")
        torch.set_default_tensor_type(found)

    return set_default_tensor_type


def functional_call(guards):
    def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, **options):
        import torch

        if kwargs is not None:
            kwargs = dict(guards.keywords(kwargs))
        return torch.func.functional_call(module, parameter_and_buffer_dicts, args, kwargs, **options)

    return functional_call


def swap_tensors(t1, t2):
    """Swap two tensors, and nothing else: of others it would swap the class and what the object holds."""
    import torch

    for one in (t1, t2):
        if not isinstance(one, torch.Tensor):
            raise TypeError(f"a tensor is wanted, not {type(one).__name__}")
    torch.utils.swap_tensors(t1, t2)


def parametrize(module, tensor_name, parametrization):
    from torch.nn.utils.parametrize import register_parametrization

    return register_parametrization(module, tensor_name, parametrization)
