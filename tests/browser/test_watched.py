"""A training is shown while its file grows, and an event's Trace is one click away."""

import torch
from playwright.sync_api import expect
from torch import nn

import explorer
from explorer.trace.step_statistics import STEPS, WATCHED
from tests.visitor import server


def test_a_training_is_shown_as_it_grows_and_its_event_opens(chromium, tmp_path):
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    with explorer.watch(model, optimizer, on="nonfinite", out=tmp_path / "run") as watch:

        @watch.repeats
        def step(x):
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()

        for _ in range(5):
            step(torch.ones(2, 3))
        with server(**{WATCHED: str(watch.out / STEPS)}) as (_, port):
            page = chromium.new_page(locale="en-GB")
            page.goto(f"http://localhost:{port}")
            expect(page).to_have_url(f"http://localhost:{port}/training")
            expect(page.locator(".st-key-tr_watched .main-svg").first).to_be_visible()
            expect(page.get_by_text("5 steps of 2 layers, 0 events.")).to_be_visible()
            step(torch.full((2, 3), float("inf")))
            expect(page.get_by_text("6 steps of 2 layers, 1 event.")).to_be_visible()
            page.get_by_role("button", name="Open step-00000006.trace").click()
            expect(page.locator(".st-key-graph")).to_contain_text("model(x)")
            page.close()
