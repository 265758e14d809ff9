"""Measure one promise: python -m benchmarks PROMISE [ARGUMENTS] is python -m benchmarks.PROMISE [ARGUMENTS]."""

import runpy
import sys

PROMISES = {
    "start": "what the first visitors and a command in a fresh terminal wait for",
    "edit": "from Ctrl+Enter to the picture, of small and of large programs",
    "processor": "what an edit costs in processor time, of all processes together, beside another checkout",
    "architectures": "recording a training step of real architectures, beside the plain step and another checkout",
    "record": "recording beside the plain program and beside other tools",
    "watch": "what watching every step of a training costs, beside other tools and a handwritten loop",
    "peers": "the same small programs and two networks in other tools: what each draws, holds and changes",
    "loops": "long loops in a run, beside the plain loop",
    "load": "many sessions at one server",
    "visitors": "what many visitors leave behind in one server",
    "cluster": "programs on the workers of a cluster",
    "notebooks": "a folder of notebooks, beside IPython",
    "rules": "the search for bugs: the cost of each rule, and its growth with the program",
    "slopes": "whether gradients that the check calls slopes are, by differences of the whole program",
    "scenarios": "whether what is recorded is true",
    "same_traces": "whether two checkouts record the same",
}


def main() -> None:
    """Run the module of that name with the other arguments."""
    asked = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if asked not in PROMISES:
        lines = [f"  {name:12} {what}" for name, what in PROMISES.items()]
        print("\n".join(["usage: python -m benchmarks PROMISE [ARGUMENTS]   (from the project's root)", *lines]))
        raise SystemExit(0 if asked in ("-h", "--help") else 2)
    name = sys.argv.pop(1)
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
