"""The table below the results: which blocks of each document ran where, and why others did not."""

from collections import Counter


def pytest_terminal_summary(terminalreporter) -> None:
    """Print the table from the numbers sent by the processes that ran the documents."""
    counts: Counter = Counter()
    reasons = []
    for report in (one for kind in ("passed", "failed") for one in terminalreporter.stats.get(kind, ())):
        for name, value in report.user_properties:
            if name == "blocks":
                where, document, what, count = value
                counts[where, document, what] += count
            elif name == "not run":
                reasons.append(value)
    if not counts:
        return
    line = terminalreporter.write_line
    terminalreporter.section("documents")
    line(f"{'extra':<12} {'document':<24} {'run':>5} {'skipped':>8} {'failed':>7}")
    for where, document in sorted({key[:2] for key in counts}):
        numbers = [counts[where, document, what] for what in ("run", "skipped", "failed")]
        line("{:<12} {:<24} {:>5} {:>8} {:>7}".format(where, document, *numbers))
    sums = [sum(count for key, count in counts.items() if key[2] == what) for what in ("run", "skipped", "failed")]
    line("{:<37} {:>5} {:>8} {:>7}".format("in all", *sums))
    line(f"not run, {len(reasons)}:")
    for reason in sorted(reasons):
        line(f"  {reason}")
