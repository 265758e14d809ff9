"""Write docs/reference.md from the docstrings of the public API: `python -m tools.generate_reference`."""

import ast
import re
import textwrap
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "reference.md"
HEAD = """# The API, function by function

This page is written from the docstrings. [The API, by example](api.md) shows how the functions work together.
"""
FUNCTIONS = "record run draw why compare compare_forms save load watch loss_jump kinds"
PARTS = {  # title: (file, names in it, prefix)
    "Functions": [("explorer/__init__.py", FUNCTIONS, "explorer.")],
    "A run and its answers": [
        ("explorer/api/answers.py", "Answers", ""),
        ("explorer/analysis/diagnose/health/report.py", "Report ReportedFinding", ""),
    ],
    "Rows and tensors": [
        ("explorer/api/rows.py", "OperationRow TensorRow NodeRow Rows", ""),
        ("explorer/api/whole_tensors.py", "Gradient NotKept", ""),
    ],
    "Forms of a module": [("explorer/api/module_forms.py", "SameSteps FormTable", "")],
    "Watched trainings": [("explorer/api/watch.py", "Watch", ""), ("explorer/api/step_table.py", "StepTable", "")],
    "In tests": [
        (
            "explorer/testing.py",
            "assert_gradients_flow assert_finite assert_sound assert_same_gradients",
            "explorer.testing.",
        )
    ],
}
_SECTION = re.compile(r"(Args|Attributes|Raises|Returns): ?")
_PARAMETER = re.compile(r", (?=\*\*?\w|\*,|/,|\w+[:=,]|\w+$)")
_ENTRY = re.compile(r"([\w*][\w*.]*(?:, [\w*][\w*.]*)*): ")
Defined = ast.FunctionDef | ast.ClassDef


def document() -> str:
    """Return the page: signatures, and what the docstrings say."""
    parts = [HEAD]
    for title, files in PARTS.items():
        parts.append(f"\n## {title}\n")
        parts += [
            part for file, names, prefix in files for name in names.split() for part in _described(file, name, prefix)
        ]
    return "".join(parts)


def _described(file: str, name: str, prefix: str) -> Iterator[str]:
    body = ast.parse((ROOT / file).read_text("utf-8")).body
    found = [one for one in body if isinstance(one, Defined) and one.name == name and ast.get_docstring(one)][-1]
    yield f"\n### {prefix}{name}\n"
    if isinstance(found, ast.FunctionDef):
        yield f"\n```python3\n{_signature(found, prefix)}\n```\n"
    yield _text(found)
    for member in found.body if isinstance(found, ast.ClassDef) else ():
        if isinstance(member, ast.FunctionDef) and member.name[0] != "_" and ast.get_docstring(member):
            is_property = any(isinstance(one, ast.Name) and "property" in one.id for one in member.decorator_list)
            of = f"{name}."
            shown = f"{of}{member.name}" if is_property else _signature(member, of)
            yield f"\n```python3\n{shown}\n```\n{_text(member)}"
        match member:
            case ast.Assign(targets=[ast.Name(id=own)], value=ast.Call(func=ast.Name(id="Column"), args=[*_, about])):
                yield f"\n```python3\n{name}.{own}\n```\n\n{ast.literal_eval(about)}\n"


def _signature(of: ast.FunctionDef, prefix: str) -> str:
    """Return a signature, one parameter in a line if it is long."""
    written = [part for part in _PARAMETER.split(ast.unparse(of.args)) if part not in ("self", "cls")]
    written = [re.sub(r"(:.*?[^=!<>])=(?!=)", r"\1 = ", part) for part in written]
    returned = f" -> {ast.unparse(of.returns)}" if of.returns else ""
    head = f"{prefix}{of.name}"
    line = f"{head}({', '.join(written)}){returned}"
    lines = "".join(f"    {part},\n" for part in written)
    return _unquoted(line if len(line) <= 100 else f"{head}(\n{lines}){returned}")


def _unquoted(signature: str) -> str:
    """Return a signature without quotes around its types."""
    return re.sub(r"(: |-> )'([^']+)'", r"\1\2", signature)


def _text(of: Defined) -> str:
    """Return a docstring as Markdown, its sections as lists."""
    text = cleandoc(ast.get_docstring(of, clean=False) or "")
    return "".join(f"\n{block}\n" for block in map(_block, re.split(r"\n\s*\n", text)) if block)


def _block(paragraph: str) -> str:
    section = _SECTION.match(paragraph)
    if section is None:
        is_code = paragraph.startswith((" ", ">>>"))
        return f"```python3\n{textwrap.dedent(paragraph)}\n```" if is_code else paragraph
    title = {"Args": "Parameters"}.get(section[1], section[1])
    rest = textwrap.dedent(paragraph[section.end() :].lstrip("\n"))
    entries = re.split(r"\n(?=\S)", rest)
    rows = [_ENTRY.sub(r"`\1`: ", " ".join(entry.split()), count=1) for entry in entries]
    return f"**{title}**\n\n" + "\n".join(f"- {row}" for row in rows)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
