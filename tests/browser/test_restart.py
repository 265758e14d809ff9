"""A server is replaced: what pages show again, and what they don't run."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from playwright.sync_api import Page, expect

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until
from tests.browser.test_workbench import program, write
from tests.deploy.proxy import free_port
from tests.visitor import ROOT, wait

# Each program prints the time, so that a later run's output is not mistaken for an earlier one's.
TYPED = "import time\nprint('typed ' * 2, time.time())"
READS = "import time\ntry: print(open('letter.txt').read() * 2)\nexcept OSError: print('not ' * 2, time.time())"
LINK = "/#" + to_fragment({"program": "import time\nprint('from the link ' * 2, time.time())"})
# A machine whose kernel lists no system calls.
WEAK = """
import sys
from msgspec.structs import replace
from explorer.ui.session import program_run
held = program_run.probe()
program_run.probe = lambda: replace(held, seccomp=False)
from streamlit.web.cli import main
sys.argv[0] = "streamlit"
main()
"""


class Place:
    """A port, and the server that listens there."""

    def __init__(self):
        self.port, self.process, self.weak = free_port(), None, False
        self.address = f"http://localhost:{self.port}"

    def start(self, **environment):
        """Start a server in place of the killed one."""
        self.end()
        how = ["-c", WEAK] if self.weak else ["-m", "streamlit"]
        command = [sys.executable, *how, "run", "app.py", "--server.headless=true", f"--server.port={self.port}"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait(f"{self.address}/_stcore/health")

    def end(self):
        """Kill it without a shutdown."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def place():
    here = Place()
    yield here
    here.end()


@pytest.fixture
def visitor(chromium):
    """Open an address as a new visitor with separate storage."""
    windows = []

    def come(address):
        windows.append(chromium.new_context(locale="en-GB", viewport={"width": 1400, "height": 900}))
        page = windows[-1].new_page()
        page.goto(address)
        return page

    yield come
    for window in windows:
        window.close()


def output(page):
    return page.locator(".st-key-output pre")


def types(page):
    page.wait_for_selector(".st-key-graph g.node")
    write(page, TYPED)
    expect(output(page)).to_contain_text("typed typed ")
    wait_until(page, "location.hash.length > 20")  # the address is updated


def again(place, *pages, **environment) -> dict[Page, str]:
    """Restart the server. Return the pages' outputs before."""
    before = {page: output(page).inner_text() for page in pages}
    place.start(**environment)
    return before


def test_programs_return_with_output_and_unchanged_ownership_after_a_restart(place, visitor, tmp_path):
    (tmp_path / "letter.txt").write_text("private")
    place.start(EXPLORER_FOLDER=str(tmp_path))
    typed, reloaded, added = visitor(place.address), visitor(place.address), visitor(place.address + LINK)
    types(typed)
    types(reloaded)
    expect(output(added)).to_contain_text("from the link from the link ")
    added.locator("textarea").first.press("Control+End")
    added.keyboard.type("\nprint('and mine')")
    expect(output(added)).to_contain_text("and mine")
    foreign = visitor(f"{place.address}/#{to_fragment({'program': READS})}")
    expect(output(foreign)).to_contain_text("not not ")

    before = again(place, typed, reloaded, added, foreign, EXPLORER_FOLDER=str(tmp_path))
    reloaded.reload()
    for page, text in before.items():
        expect(output(page)).not_to_have_text(text)
    for page in (typed, reloaded):
        expect(output(page)).to_contain_text("typed typed ")
        assert program(page) == TYPED
    expect(output(added)).to_contain_text("and mine")
    assert program(added).endswith("print('and mine')")
    expect(output(foreign)).to_contain_text("not not ")
    foreign.get_by_role("button", name="Run it as my own").click()
    expect(output(foreign)).to_have_text("privateprivate")


def test_a_linked_program_waits_for_run_on_an_unconfined_server(place, visitor):
    place.weak = True
    place.start()
    waiting = [visitor(place.address + LINK) for _ in range(2)]
    for page in waiting:
        page.get_by_text("Read it, then press Run").first.wait_for()

    again(place)
    waiting[1].reload()
    waiting[0].wait_for_timeout(8_000)
    for page in waiting:
        page.get_by_text("Read it, then press Run").first.wait_for()
        assert "from the link" in program(page) and not output(page).count()
