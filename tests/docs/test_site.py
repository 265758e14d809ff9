"""The documentation site is built of the documents, and every link in it leads somewhere."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.patience import PATIENT

ROOT = Path(__file__).parents[2]
OUTSIDE = re.compile(
    r'<(?:script|img|iframe)[^>]* src="https?:|<link rel="(?:stylesheet|preconnect)"[^>]* href="https?:'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.installed
@pytest.mark.xdist_group("site")
def test_every_document_is_a_page_and_broken_links_fail_the_build(site):
    documents = {path.relative_to(ROOT / "docs").with_suffix("") for path in ROOT.glob("docs/**/*.md")}
    pages = {path.parent.relative_to(site) for path in site.glob("**/index.html")}
    assert {path.parent if path.name == "README" else path for path in documents} - pages == set()
    assert [page for page in pages if OUTSIDE.search((site / page / "index.html").read_text("utf-8"))] == []


@pytest.mark.installed
@pytest.mark.xdist_group("site")
def test_the_site_has_every_question_and_every_public_function(site):
    questions = tomllib.loads((ROOT / "lessons" / "questions.toml").read_text("utf-8"))["question"]
    assert (site / "questions" / "index.html").read_text("utf-8").count("<h2") == len(questions)
    reference = (site / "reference" / "index.html").read_text("utf-8")
    public = ("record", "run", "draw", "why", "compare", "compare_forms", "save", "load", "watch")
    assert [name for name in public if f"explorer.{name}<" not in reference] == []
