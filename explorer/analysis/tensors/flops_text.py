"""The floating-point operations of a run in words."""

from explorer.analysis.tensors.flops import Flops
from explorer.text import say
from explorer.text.numbers import flops_text

MOST_NAMES = 8


def flops_total(found: Flops, lang: str) -> str:
    """The totals in one line; no 0 where everything that ran has no formula."""
    if found.uncounted and not found.total:
        return say(lang, "flops-none")
    parts = {"total": found.total, "forward": found.forward, "backward": found.backward}
    return say(lang, "flops-total", **{name: flops_text(count) for name, count in parts.items()})


def flops_left_out(found: Flops, lang: str) -> list[str]:
    """What ran and is not counted: a sentence each."""
    said = []
    if found.uncounted:
        names = [f"{name} ×{count}" if count > 1 else name for name, count in found.uncounted]
        names = names[:MOST_NAMES] + (["…"] if len(names) > MOST_NAMES else [])
        said.append(say(lang, "flops-uncounted", names=", ".join(names)))
    if found.hooked:
        said.append(say(lang, "flops-hooked", count=found.hooked))
    return said
