"""The text of a report: the verdict, the findings, then only what needs attention.

To add to every report, write a function that returns lines, and put it into FACTS at its place.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from explorer.analysis.diagnose.findings import Finding, bugs
from explorer.analysis.diagnose.health.report_contents import Reported, ReportedStop, ReportedWarning
from explorer.analysis.diagnose.health.report_text import (
    GRAVE,
    fails,
    important_rows,
    losses_text,
    modes_text,
    names_text,
    rows_text,
)
from explorer.analysis.diagnose.messages import finding_lines, headline, limit_text, place_text, refusal_text
from explorer.analysis.explain.gradient_rows import GradientRow
from explorer.analysis.explain.origins import Origin, entries_text, origin_text, short_text
from explorer.analysis.run.levels import ORDER
from explorer.text import as_sentence, clause_as_sentence, say, separated
from explorer.text.numbers import numbers, shorten, visible
from explorer.trace import Limit, Refusal

MOST_PLACES = 4  # most lines with faults that the verdict names
WORDS = 160  # longest text of an unexplained warning
_NONFINITE = frozenset("nan_forward nan_backward nan_given root_nonfinite loss_nonfinite gradient_nonfinite".split())


def report_text(report: Reported) -> str:
    """Write the whole report as plain text."""
    first, *others = entries(report) or [[]]
    paragraphs = [[verdict(report), *first], *others, [line for section in FACTS for line in section(report)]]
    if not first:  # nothing to read between the verdict and the facts
        paragraphs = [[line for paragraph in paragraphs for line in paragraph]]
    return "\n\n".join("\n".join(paragraph) for paragraph in paragraphs if paragraph)


def verdict(report: Reported) -> str:
    """Write in one sentence whether something is wrong, and where."""
    lang, found = report.lang, report.diagnoses
    wrong = list(faults(report))
    parts = [] if report.status == "ok" else [say(lang, f"report-status.{report.status}")]
    if found is None:
        parts.append(say(lang, "report-undiagnosed"))
    elif wrong or report.status == "ok":
        places = [*dict.fromkeys(filter(None, wrong))]
        shown = separated(lang, places[:MOST_PLACES]) + "…" * (len(places) > MOST_PLACES)
        if wrong or not report.checked.differs:  # otherwise the verdict names the difference
            parts.append(say(lang, "verdict-faults", count=len(wrong), places=shown or "none"))
    if count := sum(_gravest(bug).level == "note" for bug in bugs(found or ())):
        parts.append(say(lang, "verdict-notes", count=count))
    if report.status == "ok" and not wrong:
        if report.checked.kind:
            parts.append(say(lang, f"verdict-checked.{report.checked.kind}"))
        parts += gradients_text(report)
    return clause_as_sentence(lang, say(lang, "list-of-clauses").replace("_", " ").join(parts))


def faults(report: Reported) -> Iterator[str]:
    """Yield the place of each bug that is a fault, "" if unknown."""
    chains = bugs(report.diagnoses or ())
    for finding in map(_gravest, chains):
        if finding.level == "fault":
            yield place_text(report.trace, finding.place.cell, finding.place.line, report.lang)
    if not any(map(_is_nonfinite, chains)) and _has_bad_numbers(report):
        starts = [*filter(lambda origin: origin.level == "fault", report.nonfinite), *report.nonfinite]
        yield _place_of(report, starts[0]) if starts else ""


def _gravest(chain: tuple[Finding, ...]) -> Finding:
    """Return the finding that decides a bug's level. A note may be the root cause of a fault."""
    return min(chain, key=lambda finding: ORDER.index(finding.level))


def _has_bad_numbers(report: Reported) -> bool:
    """Return whether NaN or infinity is a fault, without regard to findings."""
    return any(one.level == "fault" for one in report.nonfinite) or any(row.level == "fault" for row in report.rows)


def kind_texts(report: Reported, level: str) -> list[str]:
    """Name the kind and place of each bug of a level, the type of an error, the leaves whose gradient differs."""
    places = [
        (finding.kind, place_text(report.trace, finding.place.cell, finding.place.line, report.lang))
        for finding in map(_gravest, bugs(report.diagnoses or ()))
        if finding.level == level
    ]
    if level == "fault":
        places = [(stop.type, say(report.lang, "line", line=stop.line)) for stop in report.stops] + places
        places = places or [("nonfinite", place) for place in faults(report)]
    elif report.checked.differs:
        places = [(separated(report.lang, each.names), each.place) for each in report.checked.leaves] + places
    return [say(report.lang, "check-kind", kind=kind, place=place) if place else kind for kind, place in places]


def _place_of(report: Reported, origin: Origin) -> str:
    spans = report.trace.spans
    return place_text(report.trace, spans[origin.span].cell, origin.line, report.lang) if origin.span >= 0 else ""


def _is_nonfinite(chain: tuple[Finding, ...]) -> bool:
    """Return whether a bug explains NaN and infinity, as a step in the wrong direction also does."""
    kinds = {finding.kind for finding in chain}
    return not _NONFINITE.isdisjoint(kinds) or ("loss_grows" in kinds and _gravest(chain).level == "fault")


def entries(report: Reported) -> list[list[str]]:
    """Return the lines of each error, then of each bug with its consequences."""
    chains, lang = bugs(report.diagnoses or ()), report.lang
    nonfinite = next(filter(_is_nonfinite, chains), None)
    texts = [stop_lines(report)]
    texts += [_unplaced(report)] if nonfinite is None else []
    for chain in chains:
        follow = [f"  {say(lang, 'finding-follows', text=headline(report.trace, one, lang))}" for one in chain[1:]]
        starts = later_text(report, chain) if chain is nonfinite else []
        texts.append([*fault_text(report, chain[0]), *follow, *starts, *_other_rows(report, chain)])
    return [text for text in texts if text]


def _unplaced(report: Reported) -> list[str]:
    """Describe where non-finite entries start if no finding is about them. The first is the bug, if there is one."""
    lang, level = report.lang, "fault" if _has_bad_numbers(report) else "note"
    counts = Counter(origin_text(lang, origin) for origin in report.nonfinite if origin.reaches)
    unused = Counter(origin_text(lang, origin) for origin in report.nonfinite if not origin.reaches)
    texts = [text if count == 1 else f"{text} ({count} ×)" for text, count in (counts + unused).items()]
    first = [say(lang, "finding-unplaced", text=texts[0], level=level)] if counts else []
    return [*first, *texts[len(first) :]]


def later_text(report: Reported, chain: tuple[Finding, ...]) -> list[str]:
    """List the other places where non-finite entries start, before and after that of a finding."""
    origins = [origin for origin in report.nonfinite if origin.reaches]
    own = next(filter(None, (reported_origin(report, finding) for finding in chain)), None)
    at = origins.index(own) if own in origins else -1
    parts = (("before", origins[: max(at, 0)]), ("after" if at >= 0 else "also", origins[at + 1 :]))
    texts = [(when, dict.fromkeys(short_text(report.lang, origin) for origin in some)) for when, some in parts]
    return [
        f"  {say(report.lang, 'finding-starts', when=when, places=separated(report.lang, list(places)[:MOST_PLACES]))}"
        for when, places in texts
        if places
    ]


def _other_rows(report: Reported, chain: tuple[Finding, ...]) -> list[str]:
    """Count the parameters that a bug concerns and its findings do not name."""
    named = {name for finding in chain for name in _names(finding)} | {finding.tensor for finding in chain}
    rows = [row for row in report.rows if _is_wrong(row) and named.isdisjoint((row.name, row.tensor))]
    also = [row for row in rows if any(_explains(finding, report, row) for finding in chain)]
    names = [(state, [row.name for row in also if row.state == state]) for state in GRAVE]
    return [
        f"  {say(report.lang, f'finding-rows.{state}', count=len(some), names=names_text(some))}"
        for state, some in names
        if some
    ]


def reported_origin(report: Reported, finding: Finding) -> Origin | None:
    """Return the origin that a finding is about."""
    phase, spans = {"nan_forward": "forward", "nan_backward": "backward"}.get(finding.kind), report.trace.spans
    here = (one for one in report.nonfinite if one.phase == phase and one.span >= 0)
    return next((one for one in here if spans[one.span] == finding.place), None)


def fault_text(report: Reported, finding: Finding) -> list[str]:
    """Write a finding: what is wrong, the number that proves it, and the change."""
    origin = reported_origin(report, finding)
    entries = "" if origin is None else entries_text(report.lang, origin)
    return [visible(line) for line in finding_lines(report.trace, finding, report.lang, entries)]


def stop_lines(report: Reported) -> list[str]:
    """Describe why the code stopped: refusals, the limit and the errors, with each advice once."""
    outputs = [output for cell in report.trace.cells for output in cell.outputs]
    refused = {output.what: output for output in reversed(outputs) if isinstance(output, Refusal)}
    texts = [
        *(_refused(report, output) for output in reversed(refused.values())),
        *(_limit(report, output) for output in outputs if isinstance(output, Limit) and not output.folds),
        *(line for stop in report.stops for line in _stop(report.lang, stop)),
    ]
    return [line for at, line in enumerate(texts) if not line.startswith("  ") or line not in texts[:at]]


def _limit(report: Reported, limit: Limit) -> str:
    line = report.trace.line(limit.span)
    text = limit_text(report.lang, limit, report.trace)
    return text + (say(report.lang, "report-stop-at", line=line) if line else "")


def _refused(report: Reported, refusal: Refusal) -> str:
    line = report.trace.line(refusal.span)
    return visible(refusal_text(report.lang, refusal)) + (say(report.lang, "report-stop-at", line=line) if line else "")


def _stop(lang: str, stop: ReportedStop) -> list[str]:
    words = stop.text.strip().split("\n")[0]
    message = visible(f"{stop.type}: {words}" if words else stop.type)
    if stop.line:
        place = "report-stop-in" if stop.code else "report-stop-at"
        message += say(lang, place, line=stop.line, code=visible(stop.code))
    fix = say(lang, "finding-advice", text=stop.repair) if stop.repair else ""
    return [message, *(f"  {sentence}" for sentence in (stop.cause, fix) if sentence)]


def gradients_text(report: Reported) -> list[str]:
    """Count the parameters with finite gradients, and give the range of their norms."""
    if not report.losses or fails(report):
        return []
    rows = [row for row in report.rows if row.trained and row.state != "frozen"]
    finite = [row for row in rows if row.state in ("flows", "zero")]
    if not rows:
        return []
    norms = [row.gradient.norm for row in finite if row.gradient is not None and row.gradient.norm is not None]
    least, most = numbers((min(norms), max(norms))) if norms else ("none", "none")
    counts = {"finite": _count(finite), "count": _count(rows), "frozen": _count(report.having("frozen"))}
    texts = {"one": "yes" if least == most else "no", "implicit": "yes" if report.implicit else "no"}
    name = visible(rows[0].name) or "?"
    return [say(report.lang, "report-gradients", name=name, least=least, most=most, **counts, **texts)]


def _count(rows: Sequence[GradientRow]) -> int:
    """Count tensors. A name that each round of a loop rebinds counts once."""
    return len({row.name or row.tensor for row in rows})


def differences(report: Reported) -> list[str]:
    """List gradients that differ from finite differences, unless a finding is about that line."""
    places = {place_text(report.trace, one.place.cell, one.place.line, report.lang) for one in report.diagnoses or ()}
    lines = [visible(each.text) for each in report.checked.leaves if each.place not in places]
    why, some = report.checked.left_out, "no" if report.checked.kind == "unchecked" else "yes"
    return [*lines, say(report.lang, "checked-left-out", why=why, some=some)] if why else lines


def wrong_rows(report: Reported) -> list[str]:
    """List parameters without a gradient, with zeros, NaN or infinity, unless a finding is about them."""
    if not report.rows:  # nothing is known about a run killed inside one call
        killed = report.status == "limited" and not len(report.trace.operations)
        return [] if killed else [say(report.lang, "report-no-parameters")]
    if not report.losses or fails(report):
        return []
    found = report.diagnoses or ()
    rest = [row for row in report.rows if _is_wrong(row) and not any(_explains(one, report, row) for one in found)]
    placed = any(origin.reaches for origin in report.nonfinite)
    return rows_text(important_rows([row for row in rest if not placed or row.state != "nonfinite"]), report.lang)


def _is_wrong(row: GradientRow) -> bool:
    return not row.allowed and row.reason != "failed" and (row.state in GRAVE or row.is_exact_zero or bool(row.moved))


def _explains(finding: Finding, report: Reported, row: GradientRow) -> bool:
    """Return whether a finding is about a row's gradient."""
    if row.state == "nonfinite":
        return finding.kind in _NONFINITE
    cut = row.cut.span if row.cut is not None else -1
    line = row.zero.line if row.zero is not None else report.trace.line(cut)
    return row.tensor == finding.tensor or row.name in _names(finding) or finding.place.line == line


def _names(finding: Finding) -> set[str]:
    """Return the parts of a finding's values, among them names of tensors."""
    return {part for value in finding.values.values() if isinstance(value, str) for part in value.split(", ")}


def optimizers(report: Reported) -> list[str]:
    """Name optimizers that took no step or list parameters twice, and parameters in none or several.

    Those that a finding is about are left out.
    """
    lang, audit = report.lang, report.optimizers
    named = {name for finding in report.diagnoses or () for name in _names(finding)}
    kinds = {finding.kind for finding in report.diagnoses or ()}
    idle = [one for one in audit.optimizers if not one.steps and "never_stepped" not in kinds]
    known = report.status == "ok" and not report.limits
    texts = [say(lang, "report-idle", name=visible(one.name), kind=one.kind, line=one.line) for one in idle if known]
    groups = [(one, group) for one in audit.optimizers for group in one.groups if group.twice]
    for one, group in groups:
        name, names = visible(one.name), names_text(group.twice)
        texts.append(say(lang, "report-twice", name=name, count=group.count, names=names, twice=len(group.twice)))
    lists = (("none", audit.in_none), ("several", audit.in_several))
    rest = [(of, names) for of, names in lists if names and named.isdisjoint(names)]
    return texts + [say(lang, f"report-in-{of}", count=len(names), names=names_text(names)) for of, names in rest]


def modes(report: Reported) -> list[str]:
    """Name the modules that were not in train mode at a backward."""
    return modes_text(report.optimizers, report.lang)


def warnings(report: Reported) -> list[str]:
    """Write the warnings of libraries that no finding covers."""
    return [line for warning in report.warnings if not warning.covered for line in warned_text(report, warning)]


def warned_text(report: Reported, warning: ReportedWarning) -> list[str]:
    """Write a warning: what it means and the change, or the beginning of the library's words."""
    lang = report.lang
    place = place_text(report.trace, warning.cell, warning.line, lang) if warning.line else "none"
    text = warning.title or shorten(" ".join(warning.text.split()), WORDS)
    fix = say(lang, "finding-advice", text=warning.repair) if warning.repair else ""
    head = say(lang, "warning-head", place=place, text=text)
    return [visible(head), *(f"  {visible(sentence)}" for sentence in (warning.cause, fix) if sentence)]


def summary(report: Reported) -> list[str]:
    """Describe the losses, and the gradients unless the verdict does."""
    told = report.status == "ok" and not any(True for _ in faults(report))
    texts = [] if told else [as_sentence(report.lang, text) for text in gradients_text(report)]
    return [*losses_text(report), *texts]


def left_out(report: Reported) -> list[str]:
    """Describe gaps of the recording (omitted operations imply their nodes), and patterns that matched nothing."""
    limits = {limit.kind: limit.count for limit in report.limits}
    trace, omitted = report.trace, {"about"} | ({"nodes"} if "operations" in limits else set())
    kept = {"operations": len(trace.operations), "backwards": len(trace.backwards), "steps": len(trace.steps)}
    estimated = "yes" if "about" in limits else "no"
    texts = [
        say(report.lang, "report-limit", kind=kind, count=count, all=kept.get(kind, 0) + count, about=estimated)
        for kind, count in limits.items()
        if kind not in omitted
    ]
    rules = separated(report.lang, report.unfinished)
    texts += [say(report.lang, "report-unfinished", names=rules)] if rules else []
    idle = visible(", ".join(report.idle))
    return [*texts, *([say(report.lang, "allow-idle", patterns=idle)] if idle else [])]


def more(report: Reported) -> list[str]:
    """Name the document that explains the kinds of findings."""
    if not report.diagnoses:
        return []
    noted = any(finding.level != "fault" for finding in report.diagnoses)
    return [say(report.lang, "finding-more", noted="yes" if noted else "no")]


Section = Callable[[Reported], list[str]]
FACTS: tuple[Section, ...] = (differences, wrong_rows, optimizers, modes, warnings, summary, left_out, more)
