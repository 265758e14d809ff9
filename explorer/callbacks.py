"""Callbacks that watch a training of Lightning or of Hugging Face's Trainer, as `explorer.watch` does.

    from explorer.callbacks import LightningWatch
    Trainer(callbacks=[LightningWatch(out="runs/first", every=500)])

    from explorer.callbacks import TransformersWatch
    Trainer(model, arguments, callbacks=[TransformersWatch(out="runs/first", every=500)])

Arguments are those of `explorer.watch`. Neither library is imported before its class is asked for.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from explorer.text import say

if TYPE_CHECKING:
    LightningWatch: type
    TransformersWatch: type

__all__ = ["LightningWatch", "TransformersWatch"]


class _Watching:
    """Begins and ends a watch."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self._options = options
        self.watch: Any = None

    def _begin(self, model: Any, optimizer: Any, steps: int) -> None:
        from explorer.api.watch import Watch

        length = {"steps": steps} if steps > 0 else {}  # -1: epochs are counted, not steps
        self.watch = Watch(model, optimizer, **{**length, **self._options})

    def _end(self, how: str = "closed") -> None:
        if self.watch is not None:
            self.watch.close(how)


def __getattr__(name: str) -> type:
    makers = {"LightningWatch": _lightning, "TransformersWatch": _transformers}
    if name not in makers:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return makers[name]()


@cache
def _lightning() -> type:
    try:
        from lightning.pytorch import Callback
    except ImportError:
        try:
            from pytorch_lightning import Callback
        except ImportError:
            raise ImportError(say("en", "watch-missing", name="Lightning", install="lightning")) from None

    class LightningWatch(_Watching, Callback):
        """Watches a Lightning training. Arguments: those of `explorer.watch` after the optimizer."""

        def on_train_start(self, trainer: Any, pl_module: Any) -> None:
            self._begin(pl_module, trainer.optimizers, trainer.max_steps)

        def on_train_end(self, trainer: Any, pl_module: Any) -> None:
            self._end()

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            self._end("error")

    return LightningWatch


@cache
def _transformers() -> type:
    try:
        from transformers import TrainerCallback
    except ImportError:
        raise ImportError(say("en", "watch-missing", name="transformers", install="transformers")) from None

    class TransformersWatch(_Watching, TrainerCallback):
        """Watches a training of Hugging Face's Trainer. Arguments: those of `explorer.watch` after the optimizer."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            self._begin(given["model"], given["optimizer"], state.max_steps)

        def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            self._end()

    return TransformersWatch
