"""mkdocs hook that creates pages of the documentation site from other files.

README.md and similar files become pages unchanged. The questions are from `lessons/questions.toml`, each with program
and picture of the answering example.
"""

import html
import posixpath
import re
import tomllib
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
AS_THEY_ARE = (
    "README.md",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "examples/first_steps.ipynb",
    "examples/idea.py",
)
_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages from outside docs/."""
    made = {name: (ROOT / name).read_text("utf-8") for name in AS_THEY_ARE}
    made |= {"questions.md": _questions(), "pictures.css": _style()}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Convert a page's repository links to links within the site."""
    source = page.file.src_uri
    here = source if page.file.generated_by else f"docs/{source}"

    def on_the_site(found: re.Match[str]) -> str:
        place = posixpath.normpath(posixpath.join(posixpath.dirname(here), found[1]))
        if not (ROOT / place).exists():
            return found[0]
        link = posixpath.relpath(place.removeprefix("docs/"), posixpath.dirname(source) or ".")
        return f"]({link}{found[2] or ''})"

    return _LINK.sub(on_the_site, markdown)


def _questions() -> str:
    """Return every question with its answers, the best first."""
    examples = {
        example["id"]: example
        for path in sorted((ROOT / "lessons" / "gallery").glob("*.toml"))
        if path.name != "terms.toml"
        for example in tomllib.loads(path.read_text("utf-8"))["example"]
    }
    parts = [
        "# Questions",
        "What people ask about autograd, and the small program that answers it. In the app the "
        "field above the gallery and the lessons finds them. *Lesson* names one of the page *Lessons*.",
    ]
    for question in tomllib.loads((ROOT / "lessons" / "questions.toml").read_text("utf-8"))["question"]:
        asked, *otherwise = question["en"]
        parts.append(f"## {_plain(asked[0].upper() + asked[1:])}")
        if otherwise:
            parts.append(f"*Also: {_plain('; '.join(otherwise))}*")
        shown = next((id for id in question["to"] if id in examples), None)
        for id in question["to"]:
            parts.append(_example(examples[id], with_program=id == shown) if id in examples else _lesson(id))
    return "\n\n".join(parts) + "\n"


def _example(example: dict[str, Any], with_program: bool) -> str:
    told = f"**{_plain(example['title']['en'])}.** {_plain(example['says']['en'])}"
    if not with_program:
        return told
    picture = ROOT / "lessons" / "gallery" / "pictures" / f"{example['id']}.svg"
    drawn = f'\n\n<div class="picture">{picture.read_text("utf-8").strip()}</div>' if picture.exists() else ""
    return f"{told}\n\n```python\n{example['program'].strip()}\n```{drawn}"


def _lesson(id: str) -> str:
    title = (ROOT / "lessons" / id / "en.md").read_text("utf-8").partition("\n")[0].removeprefix("# ")
    return f"Lesson **{title}**"


def _plain(text: str) -> str:
    """Escape a text for Markdown."""
    return re.sub(r"([\\`*_\[\]#])", r"\\\1", html.escape(text, quote=False))


def _style() -> str:
    """Return the style sheets of the small pictures, adapted to the site's dark theme."""
    folder = ROOT / "explorer" / "drawing" / "style"
    text = "".join((folder / f"{name}.css").read_text("utf-8") for name in ("tokens", "thumbnails"))
    own = ".picture { margin: 1em 0; }\n:root > * { --md-primary-fg-color: #0a7568; }\n"
    return text.replace('[data-theme="dark"]', '[data-md-color-scheme="slate"]') + own
