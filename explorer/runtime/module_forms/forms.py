"""A module's other forms: exported, traced, compiled, copied, in another precision, layout or mode."""

import copy
from collections.abc import Callable
from typing import Any

import torch
import torch.fx
from torch import nn
from torch.utils._pytree import tree_map_only

from explorer.runtime.module_forms.steps import FormBatch

Form = Callable[[nn.Module, FormBatch], Callable[..., Any]]
_FOUR_AXES = 4
_RECOMPILED = 256  # recompilations of a forward before torch.compile gives up, which is reported


def _exported(model: nn.Module, batch: FormBatch) -> Callable[..., Any]:
    return torch.export.export(model, batch.inputs, dict(batch.keywords)).module()


def _symbolic(model: nn.Module, _batch: FormBatch) -> Callable[..., Any]:
    return torch.fx.symbolic_trace(model)


def _traced(model: nn.Module, batch: FormBatch) -> Callable[..., Any]:
    keywords = {"example_kwarg_inputs": dict(batch.keywords)} if batch.keywords else {"example_inputs": batch.inputs}
    return torch.jit.trace(model, **keywords, check_trace=False, strict=False)  # type: ignore[arg-type]


def _compiled(backend: str) -> Form:
    def compiled(model: nn.Module, _batch: FormBatch) -> Callable[..., Any]:
        made = torch.compile(model, backend=backend)

        def call(*inputs: Any, **keywords: Any) -> Any:
            # Otherwise a forward that was compiled often runs uncompiled, and silently.
            options: dict[str, Any] = {"recompile_limit": _RECOMPILED, "fail_on_recompile_limit_hit": True}
            with torch._dynamo.config.patch(options):  # type: ignore[attr-defined]
                return made(*inputs, **keywords)

        return call

    return compiled


def _copied(model: nn.Module, _batch: FormBatch) -> Callable[..., Any]:
    return copy.deepcopy(model)


def _autocast(model: nn.Module, _batch: FormBatch) -> Callable[..., Any]:
    device = next((held.device.type for held in model.parameters()), "cpu")

    def call(*inputs: Any, **keywords: Any) -> Any:
        with torch.autocast(device, torch.bfloat16):
            return model(*inputs, **keywords)

    return call


def _channels_last(model: nn.Module, _batch: FormBatch) -> Callable[..., Any]:
    made = copy.deepcopy(model).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    made.register_forward_pre_hook(_inputs_last, with_kwargs=True)
    return made


def _inputs_last(_module: nn.Module, inputs: tuple, keywords: dict) -> tuple[tuple, dict]:
    return tree_map_only(torch.Tensor, _last, (inputs, keywords))


def _last(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.contiguous(memory_format=torch.channels_last) if tensor.dim() == _FOUR_AXES else tensor


def _evaluated(model: nn.Module, _batch: FormBatch) -> Callable[..., Any]:
    def call(*inputs: Any, **keywords: Any) -> Any:
        return model.eval()(*inputs, **keywords)

    return call


FORMS: dict[str, Form] = {
    "export": _exported,
    "fx": _symbolic,
    "jit.trace": _traced,
    "compile eager": _compiled("eager"),
    "compile aot_eager": _compiled("aot_eager"),
    "deepcopy": _copied,
    "autocast bf16": _autocast,
    "channels_last": _channels_last,
    "eval": _evaluated,
}
COARSE = {"autocast bf16": "bfloat16"}  # dtype in which each form computes
