"""Files that a program misses because of the limits of this place."""

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules

RULES = Rules()
_SYSTEM = ("/proc/", "/sys/", "/dev/")  # not real files: they describe the machine and its state


@RULES.rule(
    r"FileNotFoundError|PermissionError: (?:No such file or directory|Permission denied): ['\"](?P<file>.*?)['\"]"
)
def file_not_here(at: FailureContext) -> Explanation | None:
    """Explain a file that is missing or unreadable for the program."""
    folder, around = at.failure.folder, at.failure.repository or "none"
    if at.failure.outside:
        around = "system" if at["file"].startswith(_SYSTEM) else around
        return at.explain("file-outside-folder", folder=folder, repository=around)
    name = at["file"].replace("\\", "/").rpartition("/")[2]
    return None if folder or at.failure.type == "PermissionError" else at.explain("file-not-here", name=name)
