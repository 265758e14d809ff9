"""Devices that are not there, and tensors on two of them."""

import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule

_NAME = r"(?P<quote>['\"])(?:cuda|mps|xpu|gpu|GPU)(?::\d)?(?P=quote)"
_PLACES = re.compile(rf"((?:\.to|\btorch\.device|\bset_default_device|\.type)\(\s*|\bdevice\s*=\s*){_NAME}(?!\s+if\b)")
_CALLS = re.compile(r"\.(?:cuda|xpu)\(\s*\d?\s*\)")


def on_cpu(source: str) -> str:
    """A program without the graphics card: .cuda() dropped, device names replaced.

    >>> on_cpu("x = torch.ones(2, device='cuda').cuda()")
    "x = torch.ones(2, device='cpu')"
    """
    return _CALLS.sub("", _PLACES.sub(lambda match: f"{match[1]}{match['quote']}cpu{match['quote']}", source))


@rule(
    "AssertionError|RuntimeError|NotImplementedError",
    r"Torch not compiled with (CUDA|XPU) enabled|Found no NVIDIA (driver)|not linked with support for (mps) devices"
    r"|arguments from the '(MPS|CUDA|XPU)' backend|Cannot access (accelerator) device when"
    r" none|Cannot get (CUDA) generator"
    r"|(No CUDA) GPUs are available|The (MPS) backend",
)
def no_device(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The program asks for a graphics card on a machine without one."""
    name = next(group for group in found.groups() if group)
    kind = "no-mps" if name.lower() == "mps" else "no-gpu"
    values = {"code": shown(stopped.code)}
    new = on_cpu(stopped.source)
    lines = zip(stopped.source.split("\n"), new.split("\n"), strict=False)
    lines_changed = [i for i, (old, now) in enumerate(lines, 1) if old != now]
    left = re.search(r"\btorch\.cuda\.(?!is_available|manual_seed|device_count)|\bset_default_device\(\s*['\"]cpu", new)
    if not lines_changed or stopped.span is None or left or min(lines_changed) > stopped.span.end_line:
        return changed(stopped, kind, values)
    return Explanation(kind, values, new, stopped.place)


@rule("RuntimeError", r"Expected one of cpu, cuda, .* device type at start of device string: (\S+)")
def device_name(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A device of an unknown name."""
    values = {"code": shown(stopped.code), "name": shown(found.group(1))}
    new = on_cpu(stopped.source)
    return Explanation("device-name", values, new if new != stopped.source else "", stopped.place)


@rule(
    "RuntimeError",
    r"Tensor on device (\w+)(?::\d)? is not on the expected device (\w+)|Expected all tensors to be on the same device",
)
def two_devices(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Tensors on different devices: there are only the processor and meta."""
    trace = stopped.trace
    names = sorted({trace.string(trace.tensors.device[input_]) or "?" for input_ in stopped.inputs})
    if len(names) < 2:
        return None
    return changed(stopped, "with-meta", {"code": shown(stopped.code), "devices": ", ".join(names)})


@rule(
    "NotImplementedError|TypeError|RuntimeError",
    r"Cannot copy out of meta tensor|can't convert meta device type tensor|cannot be called on meta tensors",
)
def no_data(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """The numbers of a tensor that has none."""
    return changed(stopped, "meta-data", {"code": shown(stopped.code)})


RULES = (no_device, device_name, two_devices, no_data)
