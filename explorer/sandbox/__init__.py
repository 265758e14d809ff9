"""The runner: programs and layouts run in confined children of preloaded parents; limits, cancelling, crashes.

Here belongs what starts, bounds, watches and ends those processes, and the reading of their untrusted replies. Not
here: what a child does with a program (explorer.runtime), what a Trace means, and any text a person reads.
Nothing here imports torch.
"""

from explorer.sandbox.confine import Confinement, probe
from explorer.sandbox.layout import layout
from explorer.sandbox.limited import limited_trace
from explorer.sandbox.runner import Cancelled, Run, Runner, default_runner

__all__ = [
    "Cancelled",
    "Confinement",
    "Run",
    "Runner",
    "default_runner",
    "layout",
    "limited_trace",
    "probe",
]
