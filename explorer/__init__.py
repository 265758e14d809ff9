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
    from explorer.analysis.explain.why import Why
    from explorer.analysis.views.comparison import Comparison
    from explorer.api.answers import AnsweringTrace
    from explorer.api.module_forms import FormTable, SameSteps
    from explorer.api.recording import Recorded
    from explorer.api.saved_files import LoadedTrace
    from explorer.api.step_events import Event
    from explorer.api.step_table import StepTable
    from explorer.api.watch import Watch
    from explorer.drawing.picture import Picture
    from explorer.trace import Trace

    Recording = Recorded  # the type of `record()`'s result; `__getattr__` supplies it at run time

    class HasGraph(Protocol):
        """A tensor."""

        @property
        def grad_fn(self) -> Any: ...

    Finished = Trace | Recording  # accepted by the functions below: a Trace, or a recording whose `with` has ended

Language = Literal["en", "zh"]
Detail = Literal["light", "complete"]

__all__ = [
    "Recording",
    "Trace",
    "__version__",
    "compare",
    "compare_forms",
    "draw",
    "kinds",
    "load",
    "loss_jump",
    "record",
    "run",
    "save",
    "watch",
    "why",
]


def __getattr__(name: str) -> Any:
    """Import the types `Recording` (needs torch) and `Trace` (needs NumPy) on first use."""
    if name == "Trace":
        from explorer.trace import Trace

        return Trace
    if name != "Recording":
        raise AttributeError(f"module 'explorer' has no attribute '{name}'")
    from explorer.api.recording import Recorded

    return Recorded


def __dir__() -> list[str]:
    """List the public API only."""
    return __all__


def record(
    detail: Detail = "complete", max_bytes: int | None = 200_000_000, *, full: bool | str | Iterable[str] = ()
) -> "Recorded":
    """Record the code inside this context; `as` binds its Trace.

    As a decorator, `@explorer.record()`, it records every call of a function. `function.trace` is the last one's.

    Args:
        detail: "light" (value, gradient, span, name. Statistics of large tensors from a sample) or "complete"
            (also versions, storage, saved tensors).
        max_bytes: approximate memory of the recording. Beyond it, the middle of the run is only counted, as in
            the app, and a line on standard error reports that. None keeps everything.
        full: names of tensors whose entries are all kept, "w", "w.grad" (its gradients alone) or patterns such as
            "*.grad" and "h.3.*". True keeps all named tensors. "w.grad[0, 1]" keeps the products behind this entry,
            for `why`. Without it up to 64 entries of each are kept, and a sample of the rest. At most 1 GB is kept.
            Gradients of older backward calls are dropped first.
    """
    from explorer.runtime.signals import DelayedSignals

    with DelayedSignals():  # an exception in a handler would leave half-imported modules
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
    on: "str | Event | Iterable[str | Event] | None" = None,
    keep: int = 16,
    also: Iterable[Any] = (),
    share: float = 0.05,
    to: Any = None,
    samples: "Callable[[], Any] | None" = None,
) -> "Watch":
    """Measure every step of a running training, and record some.

    The watch begins immediately and ends with its `with`, by `close()`, or with the process. A recorded step is a
    `.trace` of at most 8 MB in `out`, which stays valid if the process is killed. The command `check` finds the first
    one that is not sound. Loss, learning rates and norms of every step are in `steps.stats` there, which `load` reads,
    also while it grows.

    Args:
        model: an nn.Module.
        optimizer: a torch optimizer, or several: then the first one's steps are counted. None: your loop calls
            `.step()` of the result.
        every: record step 1 and then every `every`th step. None: the first, the last and ten between if `steps`
            is given, otherwise 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on, with each gap twice as long as two gaps
            before. With `on`, none.
        out: a folder for this run. None: "runs/train-1" for train.py, with the first unused number. Under
            torch.distributed it is required, and each rank has its own run in it.
        detail: as in `record`.
        max_bytes: size of all Traces. Beyond it the oldest except the first are deleted.
        steps: number of training steps, if known. The last one is then recorded.
        on: record a step because of what happened in it: "nonfinite" (NaN or ∞ in the loss or a gradient),
            `explorer.loss_jump(3.0)`, a function of a step's row, or several. A step that `watch.repeats` wraps is run
            again, recorded; otherwise the next step is recorded. At most ten events are. Every step is then measured
            without waiting for others, on a GPU with a synchronization.
        keep: batches that `watch.repeats` keeps, and steps between two copies of the training's state.
        also: further objects with a `state_dict()` that a step changes: a scheduler, a gradient scaler.
        share: of the training's time that measuring may take. Steps are left out beyond it. 0 measures all in full.
        to: a TensorBoard `SummaryWriter` or a wandb run, which gets all numbers too.
        samples: returns the indices of the batch's samples in the data, as a list or a tensor, if the batches come from
            your own loop. A DataLoader's are known.

    Raises:
        FileExistsError: the folder already has a run.
        TypeError, ValueError: invalid argument.
    """
    from explorer.api.step_writers import writer
    from explorer.api.watch import Settings, Watch

    settings = Settings(every, out, detail, max_bytes, steps, on, keep, tuple(also), share, samples)
    return Watch(model, optimizer, settings, writer(to))


def loss_jump(factor: float, window: int = 20) -> "Event":
    """Return an event for `watch`: a loss `factor` times the median of the last `window` losses."""
    from explorer.api.step_events import loss_jump

    return loss_jump(factor, window)


def run(source: str | Path, **options: Any) -> "AnsweringTrace":
    """Run a program in a child process and return its Trace.

    Args:
        source: a Path, or the program's own text.
        options: fields of explorer.trace.Options: seed, detail, stop_on_error, of, and the limits time_limit (s),
            memory_limit (MB), output_limit (KB). Missing options use the defaults of this machine and its
            environment.

    Raises:
        Unusable: the file cannot be read or is not text.
        ValueError: the text is only a file name, "train.py".
        BadLimit: a limit in the environment is invalid (EXPLORER_MEMORY_LIMIT, _TIME_LIMIT, _OUTPUT_LIMIT).
        ImportError: the extra [app], which programs need, is not installed. The message has the install command.
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
    """Draw a Trace, a call `draw(model, x, **more)`, or a tensor's graph `draw(loss)`.

    Jupyter displays the picture, `.save("picture.html")` writes it, and a script that drops it gets a warning. A call
    runs once, recorded, in the caller's process. Random generators are restored afterwards, and so are the buffers
    (running statistics), `.grad`, `requires_grad` and `training` of modules that are called or named by the function.
    If the call raises, a warning reports it and the picture ends there. Tensors from before a recording have no values:
    `draw(loss)` shows nodes, leaves and saved tensors.

    In a large model each module is one card, and consecutive equal modules form a stack. `open` opens some of them.

    Args:
        backward: number of the backward, from 1. None: the last that succeeded, or that ended the run.
        fold: whether loops and modules become one card.
        open: paths of modules to open, "blocks.0.attn". "blocks.*" takes a stack apart.
        lang: "en" or "zh".
        keywords: keyword arguments of the call. A model with an input of one of the names above is drawn as
            `draw(lambda: model(x, fold=2))`.

    Raises:
        IndexError: no such backward.
        LookupError: no executed module has this path.
        TypeError: `what` is not a Trace, a callable or a tensor with a history, or an option is unknown.
        ImportError: the extra [draw], which lays out cards, is not installed. The message has the install
            command.
    """
    from explorer.api import arguments
    from explorer.api.recording import is_dropped, show_dropped
    from explorer.extras import need
    from explorer.sandbox import start_layouts

    need("draw", arguments.language(lang))
    language, opened = arguments.language(lang), arguments.texts(open, "api-open")
    if inputs or keywords or not arguments.is_recorded(what):
        from explorer.api.recording import recorded_once

        what = recorded_once(what, inputs, keywords, sys._getframe(1))
    finished = arguments.finished_trace(what, "draw()")
    start_layouts()  # starting the layouts takes longer than the rest of a first picture
    from explorer.drawing.picture import numbered_picture

    drawn, caller = numbered_picture(finished, language, backward, fold, opened), sys._getframe(1)
    if is_dropped(caller):
        show_dropped(drawn, language)
    return drawn


def why(trace: "Finished", name: str, *, backward: int | None = None, lang: Language = "en") -> "Why":
    """Derive a number of a program. `str()` of the answer has at most twelve lines, `.lines` has every step.

    If too little of large tensors was recorded, a program of `run` is rerun to keep the missing values. A recording
    cannot be rerun, so the answer says what to record.

    Args:
        name: a name of the program: "loss", "w.grad", "w.grad[0, 1]", "y.requires_grad".
        backward: number of the backward, from 1. None: the final `.grad`.
        lang: "en" or "zh".

    Raises:
        LookupError: no such tensor or entry.
        IndexError: no such backward.
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
    """Compare two runs' values and gradients, or whether two modules train alike.

    `compare(model, other, x)` makes two steps, forward and backward, with each module, from the same parameters,
    buffers and random numbers, and reports whether all gradients agree. If not, it names the first difference, its line
    in the first module's forward, and the cause: a Function, hook, mode or constant that the other lacks. Each cause is
    verified: without it, the first module gets the second one's gradients. Both modules are restored.

    Args:
        right: for modules also a function of the batch, a module factory, or a torch.export result.
        inputs: arguments for the modules. A single dictionary holds keyword arguments.
        loss: computes the loss of a module's output. None: the output if it is a scalar, its `.loss` if present,
            otherwise a sum with fixed weights, since a plain sum misses some gradients.
        rtol, atol: entries agree within atol + rtol · |right|. None: for runs the default of
            torch.testing.assert_close for the coarser dtype, for modules the rounding of the first one's gradients. 0
            and 0 require equal bits.
        lang: "en" or "zh".

    Raises:
        TypeError: the arguments are not two runs or two modules.
        ValueError: the first module gets no gradient.
        Whatever the first module raises.
    """
    from explorer.api import arguments

    bounds = arguments.tolerance("rtol", rtol), arguments.tolerance("atol", atol)
    language = arguments.language(lang)
    if inputs or not (arguments.is_recorded(left) or arguments.is_recorded(right)):
        from explorer.api.module_forms import compare_modules

        return compare_modules(left, right, inputs, loss, bounds, language, sys._getframe(1))
    from explorer.analysis.views.comparison import compare

    runs = [arguments.finished_trace(trace, "compare()") for trace in (left, right)]
    return compare(runs[0], runs[1], *bounds, language)


def compare_forms(
    model: Any, *inputs: Any, loss: Callable[[Any], Any] | None = None, lang: Language = "en"
) -> "FormTable":
    """Compare the gradients of a module in torch's other forms.

    The forms are export, fx, jit.trace, compile with the backends eager and aot_eager, deepcopy, autocast in bfloat16,
    channels_last and eval. A row says: equal bits, equal up to rounding, different (where and why), or the exception.
    Arguments as in `compare`. The model is restored.
    """
    from explorer.api import arguments
    from explorer.api.module_forms import compare_forms

    return compare_forms(model, inputs, loss, arguments.language(lang), sys._getframe(1))


def kinds() -> dict[str, str]:
    """Return all kinds of findings in a report, each with its level.

    A level is "fault" (the run is then not sound), "note" (it may be intended) or "info". A finding of a kind that is
    a fault is a note if its condition does not hold for certain.
    """
    from explorer.analysis.diagnose.faults.diagnosis import KINDS

    return {kind: KINDS[kind].level for kind in sorted(KINDS)}


def save(trace: "Finished", path: str | Path, *, lang: Language = "en") -> None:
    """Write a Trace as a compact, complete `.trace`, or as `.json` for other programs.

    Args:
        lang: "en" or "zh", for sentences in the JSON.

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
def load(path: str | Path, kind: Literal["steps"]) -> "StepTable": ...
def load(
    path: str | Path, kind: Literal["trace", "json", "steps"] | None = None
) -> "AnsweringTrace | LoadedTrace | StepTable":
    """Load a file from `save` or `watch`.

    A `.trace` becomes a Trace, a `.json` its object, a `.stats` the table of a training's steps.

    Args:
        kind: required kind, "trace", "json" or "steps", which also sets the type for type checkers. By default, the
            file name decides.

    Raises:
        FileNotFoundError: no such file.
        ValueError: `save` or `watch` did not write it, it is too large, or its suffix or kind is wrong. Untrusted
            files are safe: nothing in them is executed, and they are checked first.
    """
    from explorer.api import arguments
    from explorer.api.saved_files import load_file

    return load_file(Path(arguments.path(path)), kind)
