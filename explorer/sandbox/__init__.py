"""The runner: programs and layouts run in confined children of preloaded parents; limits, cancelling, crashes.

Here belongs what starts, bounds, confines, watches and ends those processes, whose turn it is, and the reading of
their untrusted replies. Not here: what a child does with a program (explorer.runtime), what a Trace means, and any text
a person reads. Nothing here imports torch.

Server side: runner (programs of many sessions), turns, executor with its two kinds parent (forks, on Linux) and spares
(elsewhere), calls, replies, preloaded, limited, limits, layout, hosted. Inside the processes: zygote, pages, spare,
answering, layout_child (which explorer.aside joins with explanations). What they give up: confine, with landlock,
libraries, systemcalls, identity, rlimits. Between them: wire, endings. The same on other machines: cluster.
"""

from explorer.sandbox import hosted, systemcalls
from explorer.sandbox.cluster.settings import BadScheduler, cluster_settings
from explorer.sandbox.confine import Confinement, probe
from explorer.sandbox.layout import layout
from explorer.sandbox.limited import limited_trace
from explorer.sandbox.limits import BadLimit, Limits, limits
from explorer.sandbox.runner import Cancelled, Run, Runner, default_runner

__all__ = [
    "BadLimit",
    "BadScheduler",
    "Cancelled",
    "Confinement",
    "Limits",
    "Run",
    "Runner",
    "cluster_settings",
    "default_runner",
    "hosted",
    "layout",
    "limited_trace",
    "limits",
    "probe",
    "systemcalls",
]
