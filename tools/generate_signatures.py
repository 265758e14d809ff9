"""Writes signatures.json: for the callables of the installed torch that tutorials use, and of Python, the
signature without its annotations and the first sentence of the docstring. Run it when torch's version changes:

    python tools/generate_signatures.py
"""

import builtins
import inspect
import json
import re
from pathlib import Path

import torch
import torch.autograd.functional
import torch.func
import torch.utils.checkpoint
import torch.utils.data

TARGET = Path(__file__).parents[1] / "explorer/analysis/run/operations/signatures.json"
MODULES = (
    torch,
    torch.autograd,
    torch.autograd.functional,
    torch.func,
    torch.linalg,
    torch.nn,
    torch.nn.functional,
    torch.nn.init,
    torch.nn.utils,
    torch.optim,
    torch.optim.lr_scheduler,
    torch.utils.checkpoint,
    torch.utils.data,
)
CLASSES = {  # classes whose methods programs call
    "torch.Tensor": torch.Tensor,
    "torch.nn.Module": torch.nn.Module,
    "torch.optim.Optimizer": torch.optim.Optimizer,
    "torch.autograd.Function": torch.autograd.Function,
}
LONGEST = 300  # longest sentence, and longest half of a signature


def signatures() -> dict[str, tuple[str, str]]:
    """Return signature with parentheses and sentence by full name; either may be empty."""
    found = {name: (signature(thing), sentence(thing)) for name, thing in callables().items()}
    for name, (signed, said) in found.items():  # "See torch.add()." stands for that function's sentence
        if (other := re.fullmatch(r"See ([\w.]+)(\(\))?\.?", said)) and other[1] in found:
            found[name] = (signed, found[other[1]][1])
    for name in [name for name, told in found.items() if not any(told)]:  # torch.relu has no docstring
        found[name] = ("", found.get(f"torch.nn.functional.{name.rpartition('.')[2]}", ("", ""))[1])
    return {name: told for name, told in sorted(found.items()) if any(told)}


def callables() -> dict[str, object]:
    """Return the callables to look up, by full name."""
    found = {}
    for module in MODULES:
        names = getattr(module, "__all__", None) or dir(module)
        names = {*names, *(dir(module) if module is torch.nn.functional else ())}
        of = module.__name__
        found |= {f"{of}.{name}": getattr(module, name) for name in names if _public(name, getattr(module, name, None))}
    for of, owner in CLASSES.items():
        found |= {f"{of}.{name}": getattr(owner, name) for name in dir(owner) if _public(name, getattr(owner, name))}
    plain = {name: thing for name, thing in vars(builtins).items() if _public(name, thing) and name.islower()}
    return found | {name: thing for name, thing in plain.items() if "site" not in type(thing).__module__}


def _public(name: str, thing: object) -> bool:
    exceptional = isinstance(thing, type) and issubclass(thing, BaseException)
    borrowed = (getattr(thing, "__module__", None) or "torch").partition(".")[0] not in ("torch", "builtins")
    return callable(thing) and not name.startswith("_") and not exceptional and not borrowed


def signature(thing: object) -> str:
    """Return the signature in a docstring's first line, or Python's, without annotations and self."""
    first = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    if told := re.match(r"[\w.]+(\((?:[^()]|\([^()]*\))*\))\s*(->\s*[^\n]+)?", first):
        gives = (told[2] or "")[2:].partition("#")[0].strip()  # the comment is meant for torch's linter
        shown = told[1] + (f" -> {gives}" if gives else "")
        return " ".join(shown.split()) if len(shown) <= 2 * LONGEST else ""
    try:
        read = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    kept = [one.replace(annotation=one.empty) for one in read.parameters.values() if one.name != "self"]
    shown = str(read.replace(parameters=kept, return_annotation=read.empty))
    return shown if len(shown) <= 2 * LONGEST and "0x" not in shown else ""


def sentence(thing: object) -> str:
    """Return the first sentence of a docstring, without the marks of reStructuredText."""
    told = inspect.getdoc(thing) or ""
    if isinstance(thing, type) and told == inspect.getdoc(object):
        return ""
    parts = [" ".join(part.split()) for part in told.split("\n\n")]
    parts = [part for part in parts if part and not re.match(r"\.\. |[\w.]+\(.*\)(\s*->.*)?$", part)]
    if not parts:
        return ""
    text = re.sub(r"^[\w.]+\(.*?\)\s*--?>\s*", "", _plain(parts[0]))
    ended = re.match(r".*?[^.](?<!e\.g)(?<!i\.e)(?<!vs)\.(?=\s|$)", text)
    text = ended[0] if ended else text.rstrip(":") + ("" if text.endswith(".") else ".")
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _plain(text: str) -> str:
    text = re.sub(r":math:`([^`]*)`", lambda found: _formula(found[1]), text)
    text = re.sub(r":(?:func|meth):`~?([^`]*?)(\(\))?`", r"\1()", text)
    text = re.sub(r":(?:\w+:)?\w+:`~?([^`<]*?)(?:\s*<[^`]*>)?`", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*<[^`]*>`_+", r"\1", text)
    return re.sub(r"``?([^`]+)``?|\*\*([^*]+)\*\*", r"\1\2", text)


def _formula(tex: str) -> str:
    """Return a formula as plain text, or … if it is too complex."""
    text = re.sub(r"\\(?:text|mathrm)\{(\w+)\}", r"\1", tex).replace("\\times", "×").replace("\\leq", "≤")
    return "…" if "\\" in text else text


if __name__ == "__main__":
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(told)}" for name, told in signatures().items())
    TARGET.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
