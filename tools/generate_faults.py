"""Write docs/faults.md from the rules, the catalogue and the examples: `python -m tools.generate_faults`.

The docstring of a rule says what it detects, its `@finds` the level and the condition. The example is the shortest
program of tests/faults/untold.txt with the bug, and its report is what the catalogue says about that run.
"""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.kinds import KINDS, Kind
from explorer.analysis.diagnose.messages import finding_lines
from tests.faults.programs import HEAD, PROGRAMS
from tests.programs import traced

SYMPTOMS = {
    "the loss is NaN or infinite": "nan_forward nan_backward nan_given loss_nonfinite gradient_nonfinite",
    "the loss grows": "loss_grows gradient_stale sign_flipped loss_climbs",
    "a gradient is None": "gradient_cut grad_of_result asked_too_late leaf_rebound never_used",
    "a gradient is 0": "gradient_stopped zeros_hold paths_cancel step_function symmetric",
    "the loss stays flat": "never_stepped not_in_optimizer step_without_gradient update_lost unmoved "
    "rate_tiny optimizer_renewed",
    "the loss falls, but the model is bad": "loss_broadcast probabilities_as_scores softmax_axis "
    "shuffled_apart wrong_mode padding_learned labels_pick_rows",
}
DOCUMENT = Path(__file__).parents[1] / "docs" / "faults.md"
_ROWS = [
    f"| {symptom} | {', '.join(f'[{kind}](#{kind})' for kind in kinds.split())} |"
    for symptom, kinds in SYMPTOMS.items()
]
INTRODUCTION = """# Bugs that raise no error

<!-- runs in: app -->

<!-- not run: program.py is the reader's own -->
`python -m explorer report program.py` and *Problems* on a page list bugs in programs that raise no error. A *fault* is
certain, a *note* may be intended, *info* is worth knowing. Anything that a short run cannot show is never a fault: a
target network that no step has synchronized yet, or a branch that did not run, is a note. `# fine: kind` on a line
silences one kind.

Many rules measure numbers instead of reading the code: how far a moving average moves toward the trained weights in
each round, how much of the last update an update keeps, which terms of a loss have no history, and where a gradient of
zeros begins.
{SYMPTOMS}
## What it does not detect

Some bugs cannot be distinguished from a sound program by its run:

- **A class for padding.** Padding positions may have their own class on purpose. It is reported only if that class
  appears at all padding positions of an embedding and nowhere else.
- **First-order MAML**, and every other derivative that is left out to save time.
- **Intended zeros**: masks, closed gates, a layer that starts at 0.
- **One view used twice** in a contrastive loss, attention normalised over another axis than the keys', and an in-place
  activation that also changes a residual path: all gradients are right for what the program computes.
- **Gradients that the check cannot measure.** It says nothing about a program that takes another path in each run, is
  at a kink or a tie, changes a leaf between its uses, or needs too much time for two runs.
- **Wrong data.** A wrong label, test data leaking into training, a mixed-up unit: the numbers are possible numbers.
- **The wrong model.** Too small, without a residual connection, with an unsuitable loss: it trains, but not well.
- **Unfavourable hyperparameters.** Only those with which nothing can be learned are reported.
- **Bugs that only a comparison of runs would show**: a reward that pays for the wrong thing, a metric computed wrongly.
- **Bugs that only a longer run would show**: a schedule, a synchronisation or an overflow after the last recorded step.
""".replace("{SYMPTOMS}", "\n".join(["\n## By symptom\n", "| symptom | look at |", "|---|---|", *_ROWS, ""]))
_IMPORTS = {"copy.": "import copy", "math.": "import math", "nn.": "from torch import nn"}
_IMPORTS |= {"F.": "from torch.nn import functional as F"}


def document() -> str:
    """Return the page: the kinds of each family, in the order of their files."""
    parts = [INTRODUCTION]
    for module, kinds in groupby(KINDS, lambda kind: KINDS[kind].rule.__module__):
        parts.append(f"\n## {inspect.getdoc(sys.modules[module]).partition(chr(10))[0].removesuffix('.')}\n")
        parts += map(section, kinds)
    return "".join(parts)


def section(kind: str) -> str:
    """Return what a kind detects, what makes it certain, an example, and its report."""
    program, said = example(kind)
    words = [f"\n### {kind}\n", *_facts(KINDS[kind]), f"```python3\n{program}```\n", "```text", *said, "```\n"]
    return "\n".join(words)


def _facts(kind: Kind) -> Iterator[str]:
    detects, *more = re.split(r"\n\s*\n", inspect.getdoc(kind.rule) or "")
    for paragraph in (re.sub("^Report", "Reports", detects), *more):
        yield f"{' '.join(paragraph.split())}\n"
    always = "Always a fault." if kind.level == "fault" else {"note": "A note.", "info": "Info."}[kind.level]
    level = f"A fault if this holds: {kind.condition}. Otherwise a note." if kind.condition else always
    others = ", ".join(f"`{cause}`" for cause in kind.explained_by)
    yield f"*{level}*{f' Not reported next to {others}.' if others else ''}\n"


def example(kind: str) -> tuple[str, list[str]]:
    """Return the shortest program with this bug, if possible at its own level, and its report."""
    of = [program for program in PROGRAMS.values() if kind in dict(program.told)]
    shown = []
    for source, _ in sorted(of, key=lambda program: (len(program.told), len(program.source))):
        trace = traced(program := _formatted(source.removeprefix(HEAD)))
        found = [one for one in diagnose(trace) if one.kind == kind]
        shown += [(program, finding_lines(trace, one, "en")) for one in found]
        if any(one.level == KINDS[kind].level for one in found):
            return shown[-1]
    return shown[0]


def _formatted(source: str) -> str:
    """Add the imports and the seed, and format as ruff does, since ruff reads documents too."""
    used = [line for word, line in _IMPORTS.items() if re.search(rf"\b{re.escape(word)}", source)]
    own = re.match(r"(?:(?:import|from) .*\n)*", source)[0]
    lines = [*used, *["import torch"] * ("import torch\n" not in own), *own.splitlines()]
    ordered = "\n".join(sorted(lines, key=lambda line: (line.startswith("from"), line)))
    code = f"{ordered}\n\ntorch.manual_seed(0)\n{source.removeprefix(own)}"
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "example.py", "-"]
    return subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
