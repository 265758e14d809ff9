"""Where the sections of the seed notebooks are played: docs/course.md and the lessons say the same."""

import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {"output": "autograd"}  # what a program prints stands below its cells on the first page


def lessons() -> dict[str, dict]:
    """Every lesson of the course in order, by the name of its folder, with what its lesson.toml says."""
    course = tomllib.loads((ROOT / "lessons" / "course.toml").read_text())
    names = [f"{chapter['id']}/{name}" for chapter in course["chapter"] for name in chapter["lessons"]]
    return {name: tomllib.loads((ROOT / "lessons" / name / "lesson.toml").read_text()) for name in names}


def table() -> dict[str, tuple[list[str], list[str]]]:
    """Section, its lessons and its pages, as docs/course.md has them."""
    rows = [line.strip("|").split("|") for line in (ROOT / "docs" / "course.md").read_text().splitlines()]
    return {
        row[0].strip(): ([name.strip(" `") for name in row[2].split(",")], [page.strip() for page in row[3].split(",")])
        for row in rows[2:]
        if len(row) == 4 and row[0].strip()[:3].isdigit()
    }


def test_every_section_has_the_lessons_and_pages_that_name_it():
    named = defaultdict(lambda: ([], []))
    for name, said in lessons().items():
        page = said.get("picture", "autograd")
        for section in said.get("seeds", []):
            named[section][0].append(name)
            if PAGES.get(page, page).capitalize() not in named[section][1]:
                named[section][1].append(PAGES.get(page, page).capitalize())
    assert table() == named


def test_all_four_notebooks_are_there():
    assert {section[:3] for section in table()} == {"001", "002", "003", "004"}
    assert len(table()) >= 49


def test_a_lesson_builds_only_on_what_came_before():
    seen = set()
    for name, said in lessons().items():
        assert set(said.get("needs", [])) <= seen, name
        seen.add(name)
