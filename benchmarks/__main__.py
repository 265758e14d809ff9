"""Measure one promise: python -m benchmarks PROMISE [ARGUMENTS] is python -m benchmarks.PROMISE [ARGUMENTS]."""

import runpy
import sys

PROMISES = {
    "start": "what the first visitors and a command in a fresh terminal wait for",
    "edit": "from Ctrl+Enter to the picture, of small and of large programs",
    "record": "recording beside the plain program and beside other tools",
    "loops": "long loops in a run, beside the plain loop",
    "load": "many sessions at one server",
    "cluster": "programs on the workers of a cluster",
    "notebooks": "a folder of notebooks, beside IPython",
    "scenarios": "whether what is recorded is true",
    "same_traces": "whether two checkouts record the same",
}


def main() -> None:
    """Run the module of that name with the other arguments."""
    if len(sys.argv) < 2 or sys.argv[1] not in PROMISES:
        lines = [f"  {name:12} {what}" for name, what in PROMISES.items()]
        raise SystemExit(
            "\n".join(["usage: python -m benchmarks PROMISE [ARGUMENTS]   (from the project's root)", *lines])
        )
    name = sys.argv.pop(1)
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
