"""Every file format of a run, for every third program in the corpora."""

import json
from itertools import cycle

import msgspec
import pytest

from benchmarks.library_models import MODELS
from explorer import Trace, record
from explorer.api.answers import answering
from explorer.drawing.picture import FORMATS, picture
from explorer.io.export import to_json
from explorer.io.notebook import DrawnProgram, notebook
from explorer.lessons.course import course
from explorer.lessons.gallery import gallery
from explorer.program import read_program, read_text, write_program
from explorer.runtime.child import OPERATION_CAP
from explorer.runtime.execute import execute_encoded
from explorer.text import LANGUAGES
from explorer.trace import MAX_BYTES, Options, decode, encode
from explorer.ui.session.examples import EXAMPLES

LONG = """\
model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(20)])
optimizer = torch.optim.Adam(model.parameters())
for round in range(200):
    loss = model(torch.ones(4, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
PROGRAMS = {
    "a long training of many layers": LONG,
    **{f"menu/{name}": program for name, program in EXAMPLES.items()},
    **{f"gallery/{name}": example.program for name, example in [*gallery().examples.items()][::3] if example.program},
    **{f"lesson/{name}": lesson.program for name, lesson in [*course().lessons.items()][::3]},
}


def exports(trace: Trace, lang: str) -> dict[str, str | bytes]:
    """Return all files of a run, by extension."""
    found: dict[str, str | bytes] = {
        ".trace": encode(trace),
        ".json": msgspec.json.encode(to_json(trace, "a.py", lang)),
    }
    drawn = picture(trace, lang)
    found |= {suffix: form.written(drawn) for suffix, form in FORMATS.items()}
    found[".played.html"] = drawn.html(trace, plays=True)
    program = read_text("\n".join(cell.source for cell in trace.own_cells))
    found[".py"] = write_program(program, "py")
    found[".ipynb"] = notebook(program, trace, lang, DrawnProgram(0, drawn.svg(standalone=True), drawn.sentence()))
    found[".report.html"] = answering(trace).report(lang=lang)._repr_html_()
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "lang"), zip(PROGRAMS, cycle(LANGUAGES)))
def test_every_file_of_a_run_can_be_written(name, lang, tmp_path):
    program, options = read_program("-", PROGRAMS[name].encode()), Options(statements=True)
    trace = decode(execute_encoded(program, options, False, MAX_BYTES, OPERATION_CAP, private=str(tmp_path)))
    found = exports(trace, lang)
    assert all(found.values())
    assert json.loads(found[".json"])["status"] == trace.status and json.loads(found[".ipynb"])["cells"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_models_of_libraries_can_be_exported(name):
    try:
        made = MODELS[name]()
    except ImportError as missing:
        pytest.skip(f"{missing.name} is not installed")
    with record() as recording:
        losses = made.losses(made.model)
        (losses if hasattr(losses, "backward") else sum(losses.values())).backward()
    assert all(exports(recording.trace, "en").values())
