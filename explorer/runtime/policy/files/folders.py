"""The standard library's functions that name files and folders, in a form that asks which."""

import builtins
import itertools
import os
import posixpath
import shutil
import sys

from explorer.runtime.policy.files.paths import checked, content, put


def folders(guards) -> dict[tuple[str, str], object]:
    """What stands in for folders, by the module's name and the function's."""
    changed = ("remove", "unlink", "rmdir", "rename", "replace")
    environment: dict[str, str] = {}  # the program's own: the machine's is nobody's business
    return {
        **{("os", name): _on_path(guards, "os", name) for name in changed},
        ("os", "environ"): environment,
        ("os", "getenv"): lambda key, default=None: environment.get(key, default),
        ("shutil", "rmtree"): _on_path(guards, "shutil", "rmtree"),
        **{("shutil", name): _copy(guards, name) for name in ("copy", "copyfile", "copy2")},
        ("shutil", "move"): _move(guards),
        ("io", "open"): lambda *arguments, **options: builtins.open(*arguments, **options),
        ("os", "stat"): _stat(guards),
        **_temporary(),
    }


def touched(self, mode=0o666, exist_ok=True) -> None:
    """In place of `Path.touch`, which asks for a descriptor."""
    self.open("ab" if exist_ok else "xb").close()


def _on_path(guards, module: str, name: str):
    def changed(path, *arguments, **keywords):
        checked(guards, f"{module}.{name}", path)
        return getattr(sys.modules[module], name)(path, *arguments, **keywords)

    changed.__name__ = name
    return changed


def _copy(guards, name: str):
    def copy(src, dst, *, follow_symlinks=True):
        target = checked(guards, f"shutil.{name}", dst)
        if os.path.isdir(target) and name != "copyfile":
            target = posixpath.join(target, posixpath.basename(str(src)))
        put(guards, f"shutil.{name}", target, content(guards, f"shutil.{name}", checked(guards, f"shutil.{name}", src)))
        return target

    return copy


def _move(guards):
    def move(src, dst):
        source, target = checked(guards, "shutil.move", src), checked(guards, "shutil.move", dst)
        if os.path.isdir(target):
            target = posixpath.join(target, posixpath.basename(source.rstrip("/")))
        os.rename(source, target)
        return target

    return move


class TemporaryDirectory:
    """A folder that goes when its block ends. Attributes: name: where it is."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cleanup(self) -> None:
        """Take it away."""
        shutil.rmtree(self.name, ignore_errors=True)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *problem) -> None:
        self.cleanup()


def _stat(guards):
    def stat(path, *, dir_fd=None, follow_symlinks=True):
        return os.stat(checked(guards, "os.stat", path))

    return stat


def _temporary() -> dict[tuple[str, str], object]:
    """Names that are the same in every run."""
    numbers = itertools.count(1)

    def name(suffix=None, prefix=None, dir=None) -> str:
        return posixpath.join(str(dir or "/tmp"), f"{prefix or 'tmp'}{next(numbers)}{suffix or ''}")

    def mkdtemp(suffix=None, prefix=None, dir=None) -> str:
        made = name(suffix, prefix, dir)
        os.mkdir(made)
        return made

    def temporary_directory(suffix=None, prefix=None, dir=None, ignore_cleanup_errors=False):
        return TemporaryDirectory(mkdtemp(suffix, prefix, dir))

    def named_file(
        mode="w+b", buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None, **options
    ):
        return builtins.open(name(suffix, prefix, dir), mode, buffering, encoding, None, newline)

    return {
        ("tempfile", "gettempdir"): lambda: "/tmp",
        ("tempfile", "mkdtemp"): mkdtemp,
        ("tempfile", "TemporaryDirectory"): temporary_directory,
        ("tempfile", "NamedTemporaryFile"): named_file,
        ("tempfile", "TemporaryFile"): named_file,
    }
