"""Pages of the app without a browser."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from explorer.sandbox import default_runner
from explorer.ui.session.links import path_of
from tests.patience import PATIENT

ROOT = Path(__file__).parents[2]


def new_page(name: str = "", **address: str) -> AppTest:
    """A page that is not drawn yet, the first one without a name; `address` is what its address holds."""
    start_programs()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT)
    app.query_params.update(address)
    return app.switch_page(f"pages/{path_of(name)}.py") if name else app


def start_programs() -> None:
    """Returns when programs can run."""
    default_runner().start()
    assert default_runner().ready(PATIENT)
