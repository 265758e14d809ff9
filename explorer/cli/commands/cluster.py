"""`worker` and `scheduler`: processes of a cluster that runs programs for servers."""

import argparse
import os
import sys
from collections.abc import Callable

from explorer.cli.commands.terminal import STATUS, Run, reason_of, visible
from explorer.sandbox import BadLimit, BadScheduler, cluster_settings, hosting
from explorer.sandbox.cluster.settings import ADDRESS, ClusterSettings
from explorer.text import say

MOST_AT_ONCE = 1_000


def arguments(command: argparse.ArgumentParser, lang: str, name: str) -> Run:
    """Add the arguments of `worker` or `scheduler`."""
    command.add_argument("address", nargs="?", metavar="ADDRESS", help=say(lang, "help-cluster-address"))
    if name == "worker":
        command.add_argument("--at-once", metavar="N", help=say(lang, "help-at-once"))
    return _worker if name == "worker" else _scheduler


def _worker(asked: argparse.Namespace) -> int:
    unfit = hosting.check()
    if unfit is not None:
        print(visible(unfit.message.text(asked.lang)), file=sys.stderr)
        return STATUS["unusable"]
    at_once = _concurrent_programs(asked.at_once)
    least = hosting.LEAST if hosting.hosted() else "none"

    def life(settings: ClusterSettings) -> None:
        from explorer.sandbox.cluster.nodes import serve

        serve(settings, least, at_once, lambda: _say(asked.lang, "worker-joined", settings))

    return _run_until_signal(asked, life)


def _scheduler(asked: argparse.Namespace) -> int:
    def life(settings: ClusterSettings) -> None:
        from explorer.sandbox.cluster.nodes import listen

        listen(settings, lambda: _say(asked.lang, "scheduler-listens", settings))

    return _run_until_signal(asked, life)


def _run_until_signal(asked: argparse.Namespace, life: Callable[[ClusterSettings], None]) -> int:
    """Run a worker or scheduler until a signal ends it. Raises BadScheduler."""
    named = {ADDRESS: asked.address} if asked.address else {}
    settings = cluster_settings(os.environ | named)
    if settings is None:
        raise BadScheduler("address", given="")
    try:
        life(settings)
    except TimeoutError:
        print(say(asked.lang, "worker-unready"), file=sys.stderr)
        return STATUS["error"]
    except OSError as problem:
        sentence = say(asked.lang, "cluster-failed", address=settings.address, reason=reason_of(problem))
        print(visible(sentence), file=sys.stderr)
        return STATUS["error"]
    return STATUS["ok"]


def _concurrent_programs(given: str | None) -> int:
    """Return how many programs the worker runs at once. Raises BadLimit."""
    if given is None:
        return max(1, os.cpu_count() or 1)
    if not given.isascii() or not given.isdigit() or not 1 <= int(given[:9]) <= MOST_AT_ONCE:
        raise BadLimit("--at-once", given[:100], 1, MOST_AT_ONCE)
    return int(given)


def _say(lang: str, id: str, settings: ClusterSettings) -> None:
    print(say(lang, id, address=settings.address), flush=True)
