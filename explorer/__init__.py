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

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from explorer.trace import Options, Trace

if TYPE_CHECKING:
    from explorer.answers import AnsweringTrace
    from explorer.comparing import Comparison
    from explorer.picture import Picture
    from explorer.reasoning import Why
    from explorer.recorded import Recorded
    from explorer.saved import LoadedTrace

__version__ = "0.4.0"  # pyproject.toml reads it here; CHANGELOG.md says what is new

__all__ = ["Trace", "compare", "draw", "load", "record", "run", "save", "why"]


def record(detail: str = "complete", max_bytes: int | None = None) -> "Recorded":
    """A context manager that records the code inside it, in this process; `as` gives its Trace.

    Args:
        detail: "light" (value, gradient, span, name) or "complete" (also versions, storage, saved tensors).
        max_bytes: size at which less is kept, None for no bound.
    """
    from explorer.recorded import Recorded

    return Recorded(detail=detail, max_bytes=max_bytes)


def run(source: str | Path, **options: Any) -> "AnsweringTrace":
    """Run a program in a child process and return its Trace, which answers what a recording answers.

    Args:
        source: a Path, or the program's own text.
        options: fields of explorer.trace.Options: seed, detail, stop_on_error, of, and the limits time_limit (s),
            memory_limit (MB), output_limit (KB); those not given are those of this machine and its environment.

    Raises:
        Unusable: the file cannot be read or is no text.
        BadLimit: the environment's limits are none (EXPLORER_MEMORY_LIMIT, _TIME_LIMIT, _OUTPUT_LIMIT).
        ImportError: only the core is installed, without what programs of the app find.
    """
    from explorer.answers import answering
    from explorer.program import load_program, read_text
    from explorer.sandbox import default_runner, limits

    program = load_program(str(source)) if isinstance(source, Path) else read_text(source)
    asked = msgspec.structs.replace(limits().of(Options()), **options)
    return answering(default_runner().submit(program, asked).result())


def draw(
    trace: Trace,
    *,
    backward: int | None = None,
    fold: bool = True,
    open: str | Iterable[str] = (),
    lang: str = "en",
) -> "Picture":
    """The picture of a Trace: it shows itself in Jupyter; `.svg(standalone=True)`, `.html()` and `.dot()` are texts.

    Of a large model each module is one card, and equal ones in a row are a stack; `open` draws what is inside of some.

    Args:
        backward: which backward's gradients it shows, from 1; None: the last that succeeded.
        fold: whether loops and modules become one card.
        open: paths of modules that are opened, "blocks.0.attn"; "blocks.*" takes a stack apart.
        lang: "en" or "zh".

    Raises:
        IndexError: the program has no such backward.
        LookupError: no module that ran has such a path.
    """
    from explorer.picture import numbered_picture

    return numbered_picture(trace, lang, backward, fold, (open,) if isinstance(open, str) else tuple(open))


def why(trace: Trace, name: str, *, backward: int | None = None, lang: str = "en") -> "Why":
    """Why a number of a program is what it is; `str()` of the answer is the whole derivation.

    Args:
        name: a name of the program: "loss", "w.grad", "w.grad[0, 1]", "y.requires_grad".
        backward: whose gradient, from 1; None: `.grad` as it stands at the end.
        lang: "en" or "zh".

    Raises:
        LookupError: no tensor has that name, or no such entry.
        IndexError: the program has no such backward.
    """
    from explorer.autograd import numbered_backward
    from explorer.reasoning import answer

    trace = trace.check()  # of what `record` gave, its Trace
    return answer(trace, name, lang, numbered_backward(trace, backward))


def compare(
    left: Trace, right: Trace, *, rtol: float | None = None, atol: float | None = None, lang: str = "en"
) -> "Comparison":
    """Where two runs first differ, in values and in gradients, by operation and module; `.same` says whether.

    Args:
        rtol, atol: entries agree within atol + rtol · |right|; None: what the coarser dtype of both accounts for, as
            in torch.testing.assert_close. 0 and 0 ask for equal bits.
        lang: "en" or "zh".
    """
    from explorer.comparing import compare

    return compare(left.check(), right.check(), rtol, atol, lang)  # of what `record` gave, its Trace


def save(trace: Trace, path: str | Path, *, lang: str = "en") -> None:
    """Write a Trace to a file: `.trace` is compact and read back whole, `.json` is for people and other programs.

    Args:
        lang: "en" or "zh", of the sentences in the JSON.

    Raises:
        ValueError: the file's name ends otherwise, or it would have more than 100 MB.
    """
    from explorer.saved import write

    write(trace.check(), Path(path), lang)  # of what `record` gave, its Trace


def load(path: str | Path) -> "AnsweringTrace | LoadedTrace":
    """Read what `save` wrote: of a `.trace` the Trace, which draws and answers; of a `.json` its object.

    Raises:
        ValueError: the file holds nothing that `save` wrote, has more than 100 MB, or its name ends otherwise. It may
            be a stranger's: nothing in it is run, and it is checked before anything reads it.
    """
    from explorer.saved import load_file

    return load_file(Path(path))
