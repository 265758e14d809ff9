"""Where and how a tensor is kept: devices that are not there, sparse tensors, dtypes that NumPy does not have."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source import with_suffix

_NAME = r"(?P<quote>['\"])(?:cuda|mps|xpu|gpu|GPU)(?::\d)?(?P=quote)"
_PLACES = re.compile(rf"((?:\.to|\btorch\.device|\bset_default_device|\.type)\(\s*|\bdevice\s*=\s*){_NAME}(?!\s+if\b)")
_CALLS = re.compile(r"\.(?:cuda|xpu)\(\s*\d?\s*\)")

RULES = Rules()


def _before_numpy(at: FailureContext, suffix: str) -> str | None:
    """The failing code with .something before its .numpy()."""
    base = at.code.removesuffix(".numpy()")
    return f"{with_suffix(base, suffix)}.numpy()" if base != at.code else None


@RULES.rule("TypeError", r"Got unsupported ScalarType (?P<dtype>\w+)")
def numpy_dtype(at: FailureContext) -> Explanation:
    """An array of a dtype that only torch has."""
    return at.explain("dtype-not-in-numpy", _before_numpy(at, ".float()"), dtype=at["dtype"].lower())


@RULES.rule(
    "TypeError|RuntimeError|NotImplementedError",
    r"can't convert Sparse layout tensor to numpy|not implemented for sparse|[Ss]parse tensors? (?:do|does) not|"
    r"to a sparse tensor|from the 'Sparse\w+' backend|expected.*dense|[Ss]parse\w* (?:tensor|layout)",
)
def sparse(at: FailureContext) -> Explanation:
    """An operation that takes no sparse tensor."""
    return at.explain("sparse-not-taken", _before_numpy(at, ".to_dense()"))


def on_cpu(source: str) -> str:
    """A program without the graphics card: .cuda() dropped, device names replaced.

    >>> on_cpu("x = torch.ones(2, device='cuda').cuda()")
    "x = torch.ones(2, device='cpu')"
    """
    return _CALLS.sub("", _PLACES.sub(lambda match: f"{match[1]}{match['quote']}cpu{match['quote']}", source))


@RULES.rule(
    "AssertionError|RuntimeError|NotImplementedError",
    r"Torch not compiled with (CUDA|XPU) enabled|Found no NVIDIA (driver)|not linked with support for (mps) devices"
    r"|arguments from the '(MPS|CUDA|XPU)' backend|Cannot access (accelerator) device when"
    r" none|Cannot get (CUDA) generator|(No CUDA) GPUs are available|The (MPS) backend",
)
def no_device(at: FailureContext) -> Explanation:
    """The program asks for a graphics card on a machine without one."""
    kind = "no-mps" if "mps" in [(name or "").lower() for name in at.found.groups()] else "no-gpu"
    source = on_cpu(at.here.source)
    lines = zip(at.here.lines, source.split("\n"), strict=False)
    changed = [number for number, (old, new) in enumerate(lines, 1) if old != new]
    left = r"\btorch\.cuda\.(?!is_available|manual_seed|device_count)|\bset_default_device\(\s*['\"]cpu"
    helps = changed and min(changed) <= at.here.span.end_line and not re.search(left, source)
    return at.explain(kind, at.here.with_source(source) if helps else None)


@RULES.rule("RuntimeError", r"Expected one of cpu, cuda, .* device type at start of device string: (?P<name>\S+)")
def device_name(at: FailureContext) -> Explanation:
    """A device of an unknown name."""
    source = on_cpu(at.here.source)
    return at.explain("device-name", at.here.with_source(source) if source != at.here.source else None)


@RULES.rule(
    "RuntimeError",
    r"Tensor on device (\w+)(?::\d)? is not on the expected device (\w+)|Expected all tensors to be on the same device",
)
def two_devices(at: FailureContext) -> Explanation | None:
    """Tensors on different devices: there are only the processor and meta."""
    names = sorted({at.trace.string(at.trace.tensors.device[tensor]) or "?" for tensor in at.inputs})
    return at.explain("with-meta", devices=", ".join(names)) if len(names) > 1 else None


RULES.message_rules(
    {
        r"RuntimeError: Storage size calculation overflowed": "entries-past-counting",
        r"NotImplementedError|TypeError|RuntimeError: Cannot copy out of meta tensor|can't convert meta "
        r"device type tensor|cannot be called on meta tensors": "meta-data",
    }
)
