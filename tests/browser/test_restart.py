"""The server ends and another one starts in its place: what each page shows again, and what it does not run."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from playwright.sync_api import expect

from explorer.program.permalink import to_fragment
from tests.browser.test_workbench import program, write
from tests.deploy.proxy import free_port
from tests.visitor import ROOT, wait

LINK = "/#" + to_fragment({"program": "print('from the link ' * 2)"})
# A machine on which the kernel lists no system calls.
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
        """Start a server, in the place of the one that was killed."""
        self.end()
        how = ["-c", WEAK] if self.weak else ["-m", "streamlit"]
        command = [sys.executable, *how, "run", "app.py", "--server.headless=true", f"--server.port={self.port}"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait(f"{self.address}/_stcore/health")

    def end(self):
        """Kill it: it says goodbye to nobody."""
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
def page(chromium):
    window = chromium.new_context(locale="en-GB", viewport={"width": 1400, "height": 900})
    yield window.new_page()
    window.close()


def output(page):
    return page.locator(".st-key-output pre")


def again(place, page, reloaded):
    """Restart the server; nothing of what the page showed before may be mistaken for what it shows then."""
    page.evaluate("document.querySelectorAll('.st-key-output pre').forEach((shown) => shown.replaceChildren())")
    place.start()
    if reloaded:
        page.reload()


@pytest.mark.parametrize("weak", [False, True], ids=["confined", "not confined"])
def test_the_last_output_returns_with_the_text(place, page, weak):
    place.weak = weak
    place.start()
    page.goto(place.address)
    page.wait_for_selector(".st-key-graph g.node")
    write(page, "print('typed ' * 2)")
    expect(output(page)).to_have_text("typed typed ")
    page.wait_for_timeout(1_000)  # the address follows
    for reloaded in (False, True):
        again(place, page, reloaded)
        expect(output(page)).to_have_text("typed typed ")
        assert program(page) == "print('typed ' * 2)"


def test_what_was_added_to_the_program_of_a_link_returns_too(place, page):
    place.start()
    page.goto(place.address + LINK)
    expect(output(page)).to_have_text("from the link from the link ")
    page.locator("textarea").first.press("Control+End")
    page.keyboard.type("\nprint('and mine')")
    expect(output(page)).to_contain_text("and mine")
    again(place, page, reloaded=False)
    expect(output(page)).to_contain_text("and mine")
    assert program(page).endswith("print('and mine')")


def test_a_program_that_waits_to_be_run_still_waits(place, page):
    place.weak = True
    place.start()
    page.goto(place.address + LINK)
    page.get_by_text("Read it, then press Run").first.wait_for()
    for reloaded in (False, True):
        place.start()
        if reloaded:
            page.reload()
        page.wait_for_timeout(8_000)
        page.get_by_text("Read it, then press Run").first.wait_for()
        assert "from the link" in program(page) and not output(page).count()


def test_a_program_from_a_link_is_no_more_its_readers_own_than_before(place, page, tmp_path):
    (tmp_path / "letter.txt").write_text("private")
    text = "try: print(open('letter.txt').read() * 2)\nexcept OSError: print('not ' * 2)"
    place.start(EXPLORER_FOLDER=str(tmp_path))
    page.goto(f"{place.address}/#{to_fragment({'program': text})}")
    expect(output(page)).to_have_text("not not ")
    page.evaluate("document.querySelectorAll('.st-key-output pre').forEach((shown) => shown.replaceChildren())")
    place.start(EXPLORER_FOLDER=str(tmp_path))
    expect(output(page)).to_have_text("not not ")
    page.get_by_role("button", name="Run it as my own").click()
    expect(output(page)).to_have_text("privateprivate")
