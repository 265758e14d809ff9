"""An instance is killed while twenty sessions work behind the proxy: no typed text is lost."""

import re
import urllib.request
from contextlib import ExitStack, closing

import pytest
from playwright.sync_api import expect
from websockets.exceptions import ConnectionClosed

from explorer.hosting.metrics import METRICS_PATH
from tests.browser.test_workbench import write
from tests.deploy.proxy import MISSING, NGINX, OPENSSL, proxy
from tests.visitor import Visitor, server

pytestmark = pytest.mark.skipif(NGINX is None or OPENSSL is None, reason=MISSING)
OTHERS = 19  # sessions in addition to the browser's, each from its own address
PROGRAM = "x = torch.tensor(1.31, requires_grad=True)\ny = x * x * 2.17\ny.backward()\n"


class Instance:
    """A server and its metrics."""

    def __init__(self, running: ExitStack):
        self.process, self.port = running.enter_context(server(EXPLORER_METRICS="1"))

    def sessions(self) -> int:
        """Return the number of open pages at an instance."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{METRICS_PATH}", timeout=30) as answer:
            return int(re.search(rb"^active_sessions (\d+)$", answer.read(), re.M)[1])


@pytest.fixture
def site(tmp_path):
    """Yield the proxy and the two instances behind it, both with PyTorch loaded."""
    with ExitStack() as running:
        instances = [Instance(running) for _ in range(2)]
        for one in instances:
            with closing(Visitor(one.port)) as first:
                assert first.ready(120)
        yield running.enter_context(proxy(tmp_path / "proxy", *(one.port for one in instances))), instances


def test_typed_text_survives_and_runs_on_another_instance(chromium, site):
    front, instances = site
    window = chromium.new_context(locale="en-GB", viewport={"width": 1400, "height": 900})
    curve, untouched, page = (window.new_page() for _ in range(3))
    for one, path, shown in (
        (curve, "/derivatives", ".st-key-derivatives_picture .slider-group"),
        *((any, "/", "g.node") for any in (untouched, page)),
    ):
        one.goto(front.address + path)
        one.wait_for_selector(shown)
    killed = next(one for one in instances if one.sessions())

    others = [f"127.0.1.{i + 1}" for i in range(OTHERS)]
    visitors = {source: Visitor(front.port, tls=front.tls, source=source) for source in others}
    for source, visitor in visitors.items():
        assert visitor.type(f"print('here is ' * 2, '{source}')", f"here is  {source}") is not None
    at_killed = killed.sessions() - 3
    assert 0 < at_killed < OTHERS  # both instances have some

    write(page, PROGRAM)
    page.locator("g.node", has_text="2.17").first.wait_for()
    area = page.locator("textarea").first
    area.press("Control+End")
    page.keyboard.type("print('typed befo")
    killed.process.kill()
    killed.process.wait()
    page.keyboard.type("re and after')")
    typed = PROGRAM + "print('typed before and after')"
    expect(area).to_have_value(typed)

    went_on = 0
    for source, visitor in visitors.items():
        own = f"print('again ' * 2, '{source}')"
        try:
            assert visitor.type(own, f"again  {source}") is not None
            went_on += 1
        except ConnectionClosed:
            with closing(Visitor(front.port, tls=front.tls, source=source)) as anew:
                assert anew.type(own, f"again  {source}") is not None
                assert not anew.exceptions
        assert not visitor.exceptions
        visitor.close()
    assert went_on == OTHERS - at_killed

    expect(page.locator(".st-key-output pre")).to_contain_text("typed before and after")
    expect(area).to_have_value(typed)

    untouched.bring_to_front()  # nothing was done on this page before
    untouched.locator("textarea").first.press("Control+End")
    untouched.keyboard.type("print('first ' * 2)")
    expect(untouched.locator(".st-key-output pre")).to_contain_text("first first")
    curve.bring_to_front()
    curve.locator(".st-key-derivatives_f input").fill("sin(x)")
    curve.locator(".st-key-derivatives_f input").press("Enter")
    expect(curve.get_by_text("0.540302").first).to_be_visible()
    window.close()
