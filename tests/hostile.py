"""Programs a link may contain: within every limit, but made to keep the server busy instead of the child."""

_GRAPH = "import torch\nx = torch.ones(2, requires_grad=True)\n"


def _cells(count: int) -> str:
    return "\n".join(f"# %%\n1 / 0 + {i}" for i in range(count))


ENDLESS = "while True: pass"

# identified by their content
PROGRAMS = {
    "no end": ENDLESS,
    "memory": "import torch\nkept = [torch.ones(10**6) for _ in range(10**4)]",
    "printed": "for i in range(10**5): print('<b>' * 100)",
    "operations": f"{_GRAPH}y = x\nfor i in range(3000): y = y * 1.001\ny.sum().backward()",
    "failing cells": _cells(400),
    "names": _GRAPH + "\n".join(f"y{i} = x * {i}" for i in range(1000)) + "\ny0.sum().backward()",
    "long line": "x = " + "+".join(["1"] * 50_000),
    "spaces": "In [1]:\nx = 1\n\n" + " " * 24_000 + "a ~",
    "arguments": f"{_GRAPH}torch.tensor({', '.join(map(str, range(10, 34)))}, x)",
    "numbers": f"{_GRAPH}torch.relu([{', '.join(map(str, range(10, 34)))}, x])",
    "axes": "import torch\nx = torch.ones([1] * 60, requires_grad=True)\nx.permute(*range(60)).sum().backward()",
    "blank lines": f"{_GRAPH}y = x\nfor i in range(2000): y = y + 1\n"
    + "\n" * 30_000
    + "y.sum().backward()\n"
    + "y.sum().item()\n" * 200,
    "writes": _GRAPH + "\n".join(f"n{i} = torch.zeros(3)\nn{i}[0] = {i}" for i in range(600)),
    "html": "print('<script>' * 2000)\nassert False, '<img src=x onerror=alert(1)>' * 500",
    "an error of its own": "raise ValueError('(' * 20_000 + 'a' * 20_000)",
}
