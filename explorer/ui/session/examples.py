"""The session's first programs and the menu's: small examples from `examples.txt`."""

from pathlib import Path


def programs_in(path: Path) -> dict[str, str]:
    """Read the programs of a file, each below a line `=== name`."""
    parts = path.read_text(encoding="utf-8").split("\n=== ")[1:]
    return {name: f"{text.rstrip()}\n" for name, _, text in (part.partition("\n") for part in parts)}


EXAMPLES = programs_in(Path(__file__).with_suffix(".txt"))
# Two hidden layers learn a wave: the loss plateaus and then falls, and the layers' gradients differ in size.
FIRST_TRAINING = EXAMPLES.pop("first-training")
# w is used twice, so that its gradient is a sum: 2 through a and 3 through b.
FIRST_SIGHT = EXAMPLES["two-paths"]
