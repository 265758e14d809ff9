"""Autograd Explorer: write ordinary PyTorch and see what autograd does with it.

    import explorer

    with explorer.record() as trace:      # your own code, in your own process
        loss = model(x).square().mean()
        loss.backward()
    trace["loss"], len(trace.nodes)
    explorer.draw(trace)

    trace = explorer.run("a = torch.tensor(2., requires_grad=True)\\n(a * a).backward()")   # in a child of its own

Here stands only the public API, without what it needs: importing `explorer` imports neither torch nor Streamlit.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from explorer.trace import Options, Trace

if TYPE_CHECKING:
    from explorer.picture import Picture
    from explorer.recorded import Recorded
    from explorer.saved import LoadedTrace

__version__ = "0.2.0"  # pyproject.toml reads it here; CHANGELOG.md says what is new

__all__ = ["Trace", "draw", "load", "record", "run", "save"]


def record(detail: str = "complete", max_bytes: int | None = None) -> "Recorded":
    """A context manager that records the code inside it, in this process; `as` gives its Trace.

    Args:
        detail: "light" (value, gradient, span, name) or "complete" (also versions, storage, saved tensors).
        max_bytes: size at which less is kept, None for no bound.
    """
    from explorer.recorded import Recorded

    return Recorded(detail=detail, max_bytes=max_bytes)


def run(source: str | Path, **options: Any) -> Trace:
    """Run a program in a child process and return its Trace.

    Args:
        source: a Path, or the program's own text.
        options: fields of explorer.trace.Options: seed, detail, stop_on_error, of, and the limits time_limit (s),
            memory_limit (MB), output_limit (KB); those not given are those of this machine and its environment.

    Raises:
        Unusable: the file cannot be read or is no text.
        BadLimit: the environment's limits are none (EXPLORER_MEMORY_LIMIT, _TIME_LIMIT, _OUTPUT_LIMIT).
    """
    from explorer.program import load_program, read_text
    from explorer.sandbox import default_runner, limits

    program = load_program(str(source)) if isinstance(source, Path) else read_text(source)
    asked = msgspec.structs.replace(limits().of(Options()), **options)
    return default_runner().submit(program, asked).result()


def draw(trace: Trace, *, backward: int | None = None, fold: bool = True, lang: str = "en") -> "Picture":
    """The picture of a Trace: it shows itself in Jupyter; `.svg(standalone=True)`, `.html()` and `.dot()` are texts.

    Args:
        backward: which backward's gradients it shows, from 1; None: the last that succeeded.
        fold: whether loops and repeated modules become one card.
        lang: "en" or "zh".
    """
    from explorer.picture import numbered_picture

    return numbered_picture(trace, lang, backward, fold)


def save(trace: Trace, path: str | Path, *, lang: str = "en") -> None:
    """Write a Trace as the JSON object that `python -m explorer run --json` prints."""
    from explorer.diagnosed import diagnosed
    from explorer.export import dumps, to_json

    trace = trace.check()  # of what `record` gave, its Trace
    Path(path).write_text(dumps(to_json(trace, "", lang, diagnoses=diagnosed(trace))) + "\n", encoding="ascii")


def load(path: str | Path) -> "LoadedTrace":
    """Read what `save` wrote. Raises ValueError when the file holds no such object."""
    from explorer.saved import from_json

    return from_json(Path(path).read_text(encoding="ascii"))
