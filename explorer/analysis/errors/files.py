"""Files that a program misses because of the limits of this place: what it may read, and how much it may write."""

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.trace import Limit

RULES = Rules()


@RULES.rule(
    r"FileNotFoundError|PermissionError: (?:No such file or directory|Permission denied): ['\"](?P<file>.*?)['\"]"
)
def file_not_here(at: FailureContext) -> Explanation | None:
    """A file that the program was not given, or may not read."""
    folder, around = at.failure.folder, at.failure.repository or "none"
    if at.failure.outside:
        return at.explain("file-outside-folder", folder=folder, repository=around)
    return None if folder or at.failure.type == "PermissionError" else at.explain("file-not-here")


@RULES.rule(r"RuntimeError: PytorchStreamReader failed")
def file_cut(at: FailureContext) -> Explanation | None:
    """A file that is not whole because an earlier cell reached the limit of files while it wrote it."""
    for cell, before in enumerate(at.trace.cells[: at.cell]):
        if any(isinstance(output, Limit) and output.limit == "files" for output in before.outputs):
            return at.explain("file-cut-by-limit", cell=cell + 1)
    return None
