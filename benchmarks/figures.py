"""Figures of a run of the benchmarks: kept in files, compared with those before, as a table and as a picture."""

import datetime
import html
import math
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

SLOWER = 1.2  # times the CPU of before that is told
KEPT = Path(__file__).parent / "results"
PEERS = ("torch", "streamlit", "torchviz", "torchview", "torchvista", "torchlens")


class Figure(msgspec.Struct, frozen=True):
    """What one tool took for one program.

    Attributes:
        program, tool: their names.
        loops: CPU as a multiple of a fixed Python loop taken beside it: what is compared between days and machines.
        plain: CPU as a multiple of the program without a tool.
        seconds: the CPU itself, the least of all rounds.
        grown: how far the process grew, as a multiple of what it grows plain; 0 where the system does not tell.
    """

    program: str
    tool: str
    loops: float
    plain: float
    seconds: float
    grown: float


class Results(msgspec.Struct, frozen=True):
    """One run: when (ISO date), on what, with which versions, and its figures."""

    date: str
    machine: str
    versions: dict[str, str]
    figures: list[Figure]


def results(figures: list[Figure]) -> Results:
    """Figures that were taken today, on this machine, with the versions that are installed."""
    machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    return Results(datetime.date.today().isoformat(), machine, _versions(), figures)


def _versions() -> dict[str, str]:
    found = {}
    for name in PEERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hold(name: str, rows: dict[str, tuple[float, float]], write: bool) -> bool:
    """Hold rows against those that `results/NAME` kept last, print the slower ones, and keep these with `write`.

    Args:
        rows: by their names the seconds, and their ratio to what was measured beside them: the ratio is compared.

    Returns:
        Whether none became slower.
    """
    folder = KEPT / name
    now = results([Figure(row, name, ratio, ratio, seconds, 0.0) for row, (seconds, ratio) in rows.items()])
    before = latest(folder)
    worse = [] if before is None else slower(before, now)
    for old, new in worse:
        print(f"slower than in the results kept last: {new.program}: {new.loops / old.loops:.2f} times as long")
    if write:
        print(f"kept in {keep(now, folder).relative_to(KEPT.parent.parent)}")
    return not worse


def latest(folder: Path) -> Results | None:
    """The results kept last in a folder, with the last figures of programs that they leave out; None without any.

    Raises msgspec.MsgspecError for another file.
    """
    kept = [msgspec.json.decode(path.read_bytes(), type=Results) for path in sorted(folder.glob("*.json"))]
    by_program = {figure.program: results for results in kept for figure in results.figures}
    figures = [figure for name, of in by_program.items() for figure in of.figures if figure.program == name]
    return msgspec.structs.replace(kept[-1], figures=figures) if kept else None


def keep(results: Results, folder: Path) -> Path:
    """Write results into a folder, by their date; where."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{results.date}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    return path


def slower(before: Results, now: Results) -> list[tuple[Figure, Figure]]:
    """What takes more than a fifth longer than before, as (before, now), the worst first."""
    known = {(figure.program, figure.tool): figure for figure in before.figures}
    pairs = [(known[key], figure) for figure in now.figures if (key := (figure.program, figure.tool)) in known]
    found = [(old, new) for old, new in pairs if new.loops > SLOWER * old.loops]
    return sorted(found, key=lambda pair: pair[0].loops / pair[1].loops)


def table(figures: list[Figure]) -> str:
    """Markdown: a row per program, a column per tool, CPU × plain · memory × plain; – for what a tool cannot do."""
    tools = [tool for tool in _in_order(figure.tool for figure in figures) if tool != "plain"]
    told = {(figure.program, figure.tool): f"{figure.plain:.3g} · {figure.grown:.2g}" for figure in figures}
    plain = {figure.program: f"{figure.seconds * 1e3:.3g}" for figure in figures if figure.tool == "plain"}
    lines = [["CPU · memory × plain", "plain, ms", *[tool.replace("_", " ") for tool in tools]]]
    lines.append(["---"] * len(lines[0]))
    for program in _in_order(figure.program for figure in figures):
        lines.append([program, plain.get(program, "–"), *[told.get((program, tool), "–") for tool in tools]])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


_LEFT, _WIDTH, _BAR, _GAP = 190, 460, 13, 20
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1f2933}.b{font-weight:600}.n{fill:#52606d}"
    ".ours{fill:#2f6fde}.peer{fill:#9aa5b1}.axis{stroke:#9aa5b1;stroke-dasharray:2 3}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.n{fill:#b0bac5}.ours{fill:#6ea8fe}.peer{fill:#7b8794}}"
)


def plot(figures: list[Figure], ours: tuple[str, ...]) -> str:
    """SVG: a bar per program and tool on a logarithmic scale from 1 (plain); `ours` stand out."""
    shown = [figure for figure in figures if figure.tool != "plain"]
    top = max([10.0, *[figure.plain for figure in shown]])
    parts, y = [], 34
    for program in _in_order(figure.program for figure in shown):
        parts.append(f'<text class="b" x="8" y="{y}">{html.escape(program)}</text>')
        for figure in (one for one in shown if one.program == program):
            y += _BAR + 4
            length = max(1.0, _WIDTH * math.log(max(figure.plain, 1)) / math.log(top))
            kind = "ours" if figure.tool in ours else "peer"
            name = html.escape(figure.tool.replace("_", " "))
            parts.append(f'<text class="n" x="{_LEFT - 8}" y="{y}" text-anchor="end">{name}</text>')
            parts.append(f'<rect class="{kind}" x="{_LEFT}" y="{y - 10}" width="{length:.1f}" height="{_BAR - 2}"/>')
            parts.append(f'<text x="{_LEFT + length + 5:.1f}" y="{y}">{figure.plain:.3g}×</text>')
        y += _GAP + 6
    marks = [10**power for power in range(int(math.log10(top)) + 1)]
    for mark in marks:
        x = _LEFT + _WIDTH * math.log(mark) / math.log(top)
        parts.append(f'<text class="n" x="{x:.1f}" y="12" text-anchor="middle">{mark}×</text>')
        parts.append(f'<path class="axis" d="M{x:.1f} 18V{y - 16}"/>')
    size = f'width="{_LEFT + _WIDTH + 70}" height="{y}" viewBox="0 0 {_LEFT + _WIDTH + 70} {y}"'
    title = "<title>CPU time as a multiple of the plain program</title>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{title}<style>{_STYLE}</style>'
    return "\n".join([head, *parts, "</svg>\n"])


def _in_order(names) -> list[str]:
    return list(dict.fromkeys(names))
