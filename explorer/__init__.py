"""Autograd Explorer: write ordinary PyTorch and see what autograd does with it.

    import explorer

    with explorer.record() as trace:      # your own code, in your own process
        loss = model(x).square().mean()
        loss.backward()
    trace["loss"], len(trace.nodes)
    explorer.draw(trace)

    trace = explorer.run("a = torch.tensor(2., requires_grad=True)\\n(a * a).backward()")   # in a child of its own

This file holds the public API and imports its parts on first use: `import explorer` imports neither torch nor
Streamlit nor NumPy.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from explorer.version import __version__

if TYPE_CHECKING:
    from explorer.analysis.comparison import Comparison
    from explorer.analysis.why import Why
    from explorer.api.answers import AnsweringTrace
    from explorer.api.module_forms import FormTable, SameSteps
    from explorer.api.recording import Recorded
    from explorer.api.saved_files import LoadedTrace
    from explorer.api.watch import Watch
    from explorer.api.watched_runs import WatchedRun
    from explorer.drawing.picture import Picture
    from explorer.trace import Trace

    Recording = Recorded  # what `record()` returns; at run time `__getattr__` below gives it

    class HasGraph(Protocol):
        """A tensor."""

        @property
        def grad_fn(self) -> Any: ...

    Finished = Trace | Recording  # what the functions below read: a Trace, or a recording whose `with` has ended

Language = Literal["en", "zh"]
Detail = Literal["light", "complete"]

__all__ = [
    "Recording",
    "Trace",
    "__version__",
    "compare",
    "compare_forms",
    "draw",
    "load",
    "record",
    "run",
    "save",
    "watch",
    "why",
]


def __getattr__(name: str) -> Any:
    """The types `Recording`, of what `record()` returns, and `Trace`: the first imports torch, the second NumPy."""
    if name == "Trace":
        from explorer.trace import Trace

        return Trace
    if name != "Recording":
        raise AttributeError(f"module 'explorer' has no attribute '{name}'")
    from explorer.api.recording import Recorded

    return Recorded


def __dir__() -> list[str]:
    """What it offers, without what it is built of."""
    return __all__


def record(
    detail: Detail = "complete", max_bytes: int | None = 200_000_000, *, full: bool | str | Iterable[str] = ()
) -> "Recorded":
    """Return a context manager that records the code inside it, in this process; `as` binds its Trace.

    As a decorator, `@explorer.record()`, it records every call of a function; `function.trace` is the last one's.

    Args:
        detail: "light" (value, gradient, span, name; statistics of large tensors from a sample) or "complete" (also
            versions, storage, saved tensors).
        max_bytes: of memory that the recording takes, about. From then on the middle of the run is counted, not
            recorded, as in the app; a line on standard error says so. None keeps everything.
        full: names of tensors whose entries are all kept, "w", "w.grad" (its gradients alone) or patterns such as
            "*.grad" and "h.3.*"; True keeps all that have a name. "w.grad[0, 1]" keeps what explains this entry, for
            `why`: the products of the last backward calls. Without it up to 64 entries of each are kept, and a
            sample of the rest. At most 1 GB is kept: gradients of older backward calls go first.
    """
    from explorer.runtime.signals import Waiting

    with Waiting():  # what a handler raises would leave modules that are half imported
        from explorer.api.recording import Recorded

    if callable(detail):
        from explorer.text import say

        raise TypeError(say("en", "api-parentheses"))
    return Recorded(detail=detail, max_bytes=max_bytes, full=full)


def watch(
    model: Any,
    optimizer: Any = None,
    *,
    every: int | None = None,
    out: str | Path | None = None,
    detail: Detail = "complete",
    max_bytes: int = 1_000_000_000,
    steps: int | None = None,
) -> "Watch":
    """Record some steps of a training while it runs; `python -m explorer app --runs DIR` shows it.

    The watch begins at once and ends with its `with`, by `close()`, or with the process. A recorded step is a `.trace`
    of at most 8 MB in `out`, and a line of `out/index.jsonl`, which has the loss of every step too; all are whole even
    if the process is killed.

    Args:
        model: an nn.Module.
        optimizer: of torch, or several; the first one's steps count. None: the loop calls `.step()` of the result.
        every: record step 1 and then one step in so many. None: the first, the last and ten between if `steps` is
            given, otherwise 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on, each gap twice as long as the one before the last.
        out: a folder for this run; None: "runs/train-1" for train.py, with the first number that is free. Under
            torch.distributed each rank has a run of its own in it, and it must be named.
        detail: as in `record`.
        max_bytes: of all Traces; beyond it the oldest but the first are deleted, and their numbers stay.
        steps: how many steps the training has, if known; the last one is then recorded.

    Raises:
        FileExistsError: the folder has a run.
        TypeError, ValueError: an argument is wrong.
    """
    from explorer.api.watch import Watch

    return Watch(model, optimizer, every=every, out=out, detail=detail, max_bytes=max_bytes, steps=steps)


def run(source: str | Path, **options: Any) -> "AnsweringTrace":
    """Run a program in a child process and return its Trace.

    Args:
        source: a Path, or the program's own text.
        options: fields of explorer.trace.Options: seed, detail, stop_on_error, of, and the limits time_limit (s),
            memory_limit (MB), output_limit (KB); missing ones get the default of this machine and its environment.

    Raises:
        Unusable: the file cannot be read or is no text.
        ValueError: the text is only the name of a file, "train.py".
        BadLimit: a limit in the environment is invalid (EXPLORER_MEMORY_LIMIT, _TIME_LIMIT, _OUTPUT_LIMIT).
        ImportError: the extra [app], which programs need, is not installed; its text has the command.
    """
    from explorer.api import arguments
    from explorer.api.answers import answering
    from explorer.program import load_program, read_text
    from explorer.sandbox import default_runner, limits
    from explorer.text import say
    from explorer.trace import Options

    if not isinstance(source, str | Path):
        raise TypeError(say("en", "api-source", given=arguments.short(source)))
    if isinstance(source, str) and arguments.is_a_files_name(source):
        raise ValueError(say("en", "api-source-name", name=source))
    asked = arguments.run_options(options, limits().of(Options()))
    program = load_program(str(source)) if isinstance(source, Path) else read_text(source)
    return answering(default_runner().submit(program, asked).result(), program.files)


def draw(
    what: "Finished | Callable[..., Any] | HasGraph",
    *inputs: Any,
    backward: int | None = None,
    fold: bool = True,
    open: str | Iterable[str] = (),
    lang: Language = "en",
    **keywords: Any,
) -> "Picture":
    """Return a picture: of a Trace, of a call, `draw(model, x, **more)`, or of the graph behind a tensor, `draw(loss)`.

    It displays itself in Jupyter; `.save("picture.html")` writes it, and a script that drops it is told so. A call is
    made once, under the recorder, in the caller's process. Afterwards the random generators are as they were, and of
    modules the buffers (running statistics), `.grad`, `requires_grad` and `training`; the modules are those that are
    called, or that the function names. Where the call raises, a warning tells it, and the picture ends there. What came
    before a recording has no values: `draw(loss)` shows the nodes, the leaves and what is saved.

    In a large model each module is one card, and equal modules in a row are a stack; `open` draws the inside of some.

    Args:
        backward: which backward's gradients it shows, from 1; None: the last that succeeded, or that ended the run.
        fold: whether loops and modules become one card.
        open: paths of modules that are opened, "blocks.0.attn"; "blocks.*" takes a stack apart.
        lang: "en" or "zh".
        keywords: those of the call. A model with an input of one of the names above is drawn as
            `draw(lambda: model(x, fold=2))`.

    Raises:
        IndexError: the program has no such backward.
        LookupError: no module that ran has such a path.
        TypeError: `what` is neither a Trace, nor something to call, nor a tensor with a history; or it has no such
            option.
        ImportError: what places the cards, the extra [draw], is not installed; its text has the command.
    """
    from explorer.api import arguments
    from explorer.api.recording import is_dropped, show_dropped
    from explorer.extras import need
    from explorer.sandbox import start_layouts

    need("draw", arguments.language(lang))
    said, opened = arguments.language(lang), arguments.texts(open, "api-open")
    if inputs or keywords or not arguments.is_recorded(what):
        from explorer.api.recording import recorded_once

        what = recorded_once(what, inputs, keywords, sys._getframe(1))
    finished = arguments.finished_trace(what, "draw()")
    start_layouts()  # takes longer than all else of a first picture
    from explorer.drawing.picture import numbered_picture

    drawn, caller = numbered_picture(finished, said, backward, fold, opened), sys._getframe(1)
    if is_dropped(caller):
        show_dropped(drawn, said)
    return drawn


def why(trace: "Finished", name: str, *, backward: int | None = None, lang: Language = "en") -> "Why":
    """Explain why a number of a program is what it is; `str()` of the answer is the whole derivation.

    Where too little of large tensors was recorded, a program of `run` runs once more and keeps what explains the entry.
    A recording cannot do that: the answer says what to record.

    Args:
        name: a name of the program: "loss", "w.grad", "w.grad[0, 1]", "y.requires_grad".
        backward: whose gradient, from 1; None: `.grad` at the end.
        lang: "en" or "zh".

    Raises:
        LookupError: no tensor has that name, or no such entry.
        IndexError: the program has no such backward.
    """
    from explorer.api import arguments
    from explorer.api.answers import Answers, answering

    asked = trace if isinstance(trace, Answers) else answering(arguments.finished_trace(trace, "why()"))
    return asked.why(name, lang, backward)


@overload
def compare(
    left: "Finished", right: "Finished", *, rtol: float | None = None, atol: float | None = None, lang: Language = "en"
) -> "Comparison": ...
@overload
def compare(
    left: Callable[..., Any],
    right: Callable[..., Any],
    *inputs: Any,
    loss: Callable[[Any], Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    lang: Language = "en",
) -> "SameSteps": ...
def compare(
    left: Any,
    right: Any,
    *inputs: Any,
    loss: Callable[[Any], Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    lang: Language = "en",
) -> "Comparison | SameSteps":
    """Compare two runs, where they first differ in values and in gradients; or two modules, whether they train alike.

    `compare(model, other, x)` makes two steps, forward and backward, with each module, from the same parameters,
    buffers and random numbers, and says whether all gradients agree, which differs first, on which line of the first
    module's forward, and why: a Function, a hook, a mode or a constant that the other lacks. Each cause was tried: the
    first module without it gets the gradients of the second. Afterwards both modules are as they were.

    Args:
        right: of modules also a function of the batch, a function without arguments that makes a module, or what
            torch.export returns.
        inputs: what the modules are called with; one dictionary holds keyword arguments.
        loss: of a module's output. None: the output itself if it is one number; its `.loss` if it has one; otherwise
            the sum of its entries times fixed weights, since a plain sum does not see every gradient.
        rtol, atol: entries agree within atol + rtol · |right|. None: of runs the default of torch.testing.assert_close
            for the coarser dtype; of modules what rounding makes of the first one's gradients. 0 and 0 ask for equal
            bits.
        lang: "en" or "zh".

    Raises:
        TypeError: what is compared is neither two runs nor two modules.
        ValueError: the first module gets no gradient.
        Whatever the first module raises.
    """
    from explorer.api import arguments

    bounds = arguments.tolerance("rtol", rtol), arguments.tolerance("atol", atol)
    said = arguments.language(lang)
    if inputs or not (arguments.is_recorded(left) or arguments.is_recorded(right)):
        from explorer.api.module_forms import compare_modules

        return compare_modules(left, right, inputs, loss, bounds, said, sys._getframe(1))
    from explorer.analysis.comparison import compare

    runs = [arguments.finished_trace(trace, "compare()") for trace in (left, right)]
    return compare(runs[0], runs[1], *bounds, said)


def compare_forms(
    model: Any, *inputs: Any, loss: Callable[[Any], Any] | None = None, lang: Language = "en"
) -> "FormTable":
    """Compare the gradients of a module in torch's other forms.

    A table of export, fx, jit.trace, compile with the backends eager and aot_eager, deepcopy, autocast in bfloat16,
    channels_last and eval: equal bits, up to rounding, different (where and why), or what was raised. Arguments as in
    `compare`; the model is left as it was.
    """
    from explorer.api import arguments
    from explorer.api.module_forms import compare_forms

    return compare_forms(model, inputs, loss, arguments.language(lang), sys._getframe(1))


def save(trace: "Finished", path: str | Path, *, lang: Language = "en") -> None:
    """Write a Trace to a file: `.trace` is compact and read back whole, `.json` is for people and other programs.

    Args:
        lang: "en" or "zh", of the sentences in the JSON.

    Raises:
        ValueError: the name has another ending, or the file would exceed 100 MB, full tensors of a `.trace` aside.
    """
    from explorer.api import arguments
    from explorer.api.saved_files import write

    write(arguments.finished_trace(trace, "save()"), Path(arguments.path(path)), arguments.language(lang))


@overload
def load(path: str | Path) -> "AnsweringTrace": ...
@overload
def load(path: str | Path, kind: Literal["trace"]) -> "AnsweringTrace": ...
@overload
def load(path: str | Path, kind: Literal["json"]) -> "LoadedTrace": ...
@overload
def load(path: str | Path, kind: Literal["run"]) -> "WatchedRun": ...
def load(
    path: str | Path, kind: Literal["trace", "json", "run"] | None = None
) -> "AnsweringTrace | LoadedTrace | WatchedRun":
    """Read a file that `save` wrote: a `.trace` as a Trace that draws and answers, a `.json` as its object.

    Of a folder that `watch` wrote it returns the run: `.steps`, `.losses`, `.trace(step)`, `.training()`.

    Args:
        kind: what it must be, "trace", "json" or "run" (a folder), which also tells a type checker what comes back.
            Without it, the name of the file decides.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: neither `save` nor `watch` wrote it, it is too large, its name has another ending, or it is of
            another kind. The file may come from a stranger: nothing in it is run, and it is checked before anything
            reads it.
    """
    from explorer.api import arguments
    from explorer.api.saved_files import load_file

    return load_file(Path(arguments.path(path)), kind)


def load_ipython_extension(shell: Any) -> None:
    """Called by `%load_ext explorer` in Jupyter and IPython: gives the notebook the magic `%%explore`."""
    from explorer.api.cell_magic import register

    register(shell)
