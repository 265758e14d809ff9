"""tqdm as a program sees it: it iterates and counts, and draws no bar, whose times would differ from run to run."""

import sys
import types
from importlib.machinery import ModuleSpec


class tqdm:
    """What stands for tqdm's progress bar. Attributes: iterable, total, n: rounds so far, desc."""

    def __init__(self, iterable=None, desc=None, total=None, *arguments, initial=0, **options) -> None:
        self.iterable, self.desc, self.n, self.disable = iterable, desc or "", initial, True
        known = iterable is not None and hasattr(iterable, "__len__")
        self.total = len(iterable) if total is None and known else total

    def __iter__(self):
        for one in self.iterable:
            yield one
            self.n += 1

    def __len__(self) -> int:
        return len(self.iterable) if self.total is None else self.total

    def __enter__(self):
        return self

    def __exit__(self, *problem) -> None:
        pass

    def update(self, n=1) -> None:
        """So many rounds more."""
        self.n += n

    def reset(self, total=None) -> None:
        """From the beginning."""
        self.n, self.total = 0, self.total if total is None else total

    def set_description(self, desc=None, refresh=True) -> None:
        """The words before the bar."""
        self.desc = desc or ""

    set_description_str = set_description

    def set_postfix(self, ordered_dict=None, refresh=True, **values) -> None:
        """The values behind the bar."""

    def set_postfix_str(self, s="", refresh=True) -> None:
        """The words behind the bar."""

    def refresh(self, *arguments, **options) -> None:
        """Draw the bar."""

    display = clear = close = unpause = refresh

    @classmethod
    def write(cls, s, file=None, end="\n", nolock=False) -> None:
        """Print beside the bar."""
        sys.stdout.write(str(s) + end)


def trange(*bounds, **options) -> tqdm:
    """The bar of a range."""
    return tqdm(range(*bounds), **options)


tqdm.__module__ = "tqdm"


def progress_modules() -> dict[str, types.ModuleType]:
    """The modules by name, as they stand in sys.modules during a run."""
    names = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.std", "tqdm.autonotebook")
    made = {name: types.ModuleType(name) for name in names}
    for module in made.values():
        vars(module).update(tqdm=tqdm, trange=trange, __stands_in__=True)
        module.__spec__ = ModuleSpec(module.__name__, None)  # torch asks whether tqdm is there
    vars(made["tqdm"]).update(
        tqdm_notebook=tqdm, tnrange=trange, **{name[5:]: one for name, one in made.items() if name != "tqdm"}
    )
    vars(made["tqdm.notebook"]).update(tqdm_notebook=tqdm, tnrange=trange)
    return made
