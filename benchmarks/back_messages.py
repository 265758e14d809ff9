"""Random messages over Streamlit's own protocol to a server of its own: none may fail it, and it must not grow.

usage: python benchmarks/back_messages.py [SECONDS [SEED [hosted|home [LOG]]]]
       (default 60, 0, hosted; from the project's root; LOG is a file that keeps what the server logged)

Some sessions look at all pages, know the widgets that these show, and say random things of them: values of every kind,
right and wrong, requests of every kind, bytes that are no message, files. All of it goes to a server that this program
starts on this machine. Prints what was said, each failure that the log or a page shows (once), and the memory of the
server's process in each quarter of the time (MB). Ends with 1 where something failed.
"""

import asyncio
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.visitor import server

SESSIONS, EACH = 4, 6.0  # messages a second of each session: fewer than are left out for coming too fast
LIVES = 200  # messages after which a session ends and another comes
PAGES = "/ /tensors /operations /broadcasting /derivatives /training /data /compare /lessons /examples /class".split()
KEYS = (
    "edit cell chosen selected view root module asked query name count at key run step kept text place opened told "
    "came act wanted entry parameter moved page fragment framed about s of start path open direction fold film "
    "position number card do after session predict answer"
).split()
STATES = {  # what components tell, by the last word of their names
    "editor": "edit cell",
    "graph": "selected view root module",
    "player": "act wanted",
    "derivatives": "moved chosen",
    "film": "step parameter",
    "search": "asked chosen",
    "link": "came",
    "lessons": "kept",
    "reel": "wanted",
    "entries": "entry",
    "strip": "chosen",
    "chips": "chosen",
    "linked": "chosen",
    "asks": "asked",
    "why": "asked",
    "broadcasting": "asked",
}
TEXTS = [
    "x = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()",
    "for i in range(3): print(i)\n1 / 0",
    "model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))\n"
    "optimizer = torch.optim.Adam(model.parameters())\nx = torch.rand(8, 2)\nfor step in range(20):\n"
    "    loss = (model(x) ** 2).mean()\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()",
    "import matplotlib.pyplot as plt\na = torch.arange(6.).reshape(2, 3)\nplt.plot(a.T); plt.show()\nb = a.T @ a",
    *("", "a", "en", "zh", "0", "-1", "1e999", "<b>", "\u202e", "\0", "x" * 5_000, "../../etc/passwd", "数", "[0]"),
]
TYPED = ["2", "3, 1", "1, 2", "x**2", "sin(x) / x", "def f(x):\n    return x * 2", "torch.arange(6.).reshape(2, 3)"]
NUMBERS = [0, 1, -1, 2, 7, 1000, 1 << 31, (1 << 63) - 1, -(1 << 63), 0.5, float("inf"), float("nan"), 1e308]


class Talker:
    """One session that says random things."""

    def __init__(self, port: int, number: int, pick: random.Random, said: Counter, failed: Counter):
        self._port, self._number, self._pick, self._said, self._failed = port, number, pick, said, failed
        self._widgets: dict[str, tuple[str, Any]] = {}  # by id, the kind of element, and what the page says of it
        self._seen: list[object] = [""]  # what components were told
        self._document: tuple[int, list] = 0, [0]  # of the editor: its revision, the ids of its cells
        self._files = [""]
        self._fragments = [""]
        self._hashes = [""]
        self._session = ""

    async def live(self, until: float) -> None:
        """Talk until the time is over, in one session after another."""
        while time.monotonic() < until:
            with suppress(WebSocketException, OSError, TimeoutError):
                await self._one_life(until)

    async def _one_life(self, until: float) -> None:
        pick = self._pick
        again = ["streamlit", "none", self._session] if self._session and pick.random() < 0.3 else ["streamlit"]
        async with connect(
            f"ws://localhost:{self._port}/_stcore/stream",
            origin=f"http://localhost:{self._port}",  # type: ignore[arg-type]
            additional_headers={"X-Forwarded-For": f"198.51.100.{self._number + 1}"},
            subprotocols=again,  # type: ignore[arg-type]
            max_size=None,
            close_timeout=1,
        ) as connection:
            reading = asyncio.create_task(self._read(connection))
            try:
                first = BackMsg()
                first.rerun_script.page_name = pick.choice(PAGES).strip("/")
                first.rerun_script.widget_states.SetInParent()
                await connection.send(first.SerializeToString())
                await asyncio.sleep(1)
                for _ in range(LIVES):
                    if time.monotonic() > until:
                        return
                    if reading.done():
                        return reading.result()  # or what it raised
                    kind, data = self._message()
                    self._said[kind] += 1
                    await connection.send(data)
                    await asyncio.sleep(pick.expovariate(EACH))
            finally:
                reading.cancel()

    async def _read(self, connection: ClientConnection) -> None:
        async for data in connection:
            if not isinstance(data, bytes):
                continue
            message = ForwardMsg.FromString(data)
            if message.HasField("new_session"):
                self._session = message.new_session.initialize.session_id or self._session
            if message.HasField("navigation"):
                self._hashes = [*self._hashes[-20:], message.navigation.page_script_hash]
            if message.delta.fragment_id:
                self._fragments = [*self._fragments[-20:], message.delta.fragment_id]
            self._look(message)

    def _look(self, message: ForwardMsg) -> None:
        """Remember what a page shows: its widgets, and what can be said of them."""
        for part in (message.delta.new_element, message.delta.add_block):
            kind = part.WhichOneof("type")
            shown = getattr(part, kind) if kind else None
            if kind == "exception":
                self._failed[f"page: {shown.type} {shown.message[:80]}"] += 1
            elif name := getattr(shown, "id", ""):
                self._widgets.pop(name, None)
                self._widgets[name] = kind, shown  # at the end: shown last
                if len(self._widgets) > 400:
                    self._widgets.pop(next(iter(self._widgets)))
            if kind == "bidi_component" and shown.json:
                told = json.loads(shown.json)
                self._seen = [*self._seen, *leaves(told, self._pick)][-400:]
                if shown.component_name.endswith("editor"):
                    self._document = told["revision"], [cell["id"] for cell in told["cells"]]
            elif kind == "download_button" and shown.deferred_file_id:
                self._files = [*self._files[-20:], shown.deferred_file_id]

    def _message(self) -> tuple[str, bytes | str]:
        pick = self._pick
        kind = pick.choices(["draw", "other", "torn", "bytes", "text", "large"], [70, 14, 10, 2, 2, 2])[0]
        if kind == "bytes":
            return kind, pick.randbytes(pick.randrange(400))
        if kind == "text":
            return kind, pick.choice(TEXTS)
        asked = self._other() if kind == "other" else self._draw()
        if kind == "large":
            widget = asked.rerun_script.widget_states.widgets.add()
            widget.id, widget.json_value = "w", pick.choice(["[", "[]", '"', "1,"]) * pick.randrange(400_000)
        data = bytearray(asked.SerializeToString())
        if kind == "torn" and data:
            for _ in range(pick.randint(1, 4)):
                data[pick.randrange(len(data))] = pick.randrange(256)
        return kind, bytes(data)

    def _draw(self) -> BackMsg:
        pick, message = self._pick, BackMsg()
        asked = message.rerun_script
        asked.widget_states.SetInParent()
        sound = pick.random() < 0.6  # as a page would say it, at a time when it could
        if sound:
            asked.fragment_id, asked.page_script_hash = pick.choice([self._fragments[-1], ""]), self._hashes[-1]
        else:
            asked.fragment_id = pick.choice([*self._fragments, "", "nothing"])
            asked.page_script_hash = pick.choice([*self._hashes, "", "00"])
        if pick.random() < (0.02 if sound else 0.2):
            asked.page_name = pick.choice(PAGES).strip("/")
        if not sound and pick.random() < 0.3:
            asked.query_string = "&".join(f"{pick.choice([*KEYS, 'lang'])}={pick.choice(TEXTS)}" for _ in range(3))
        asked.is_auto_rerun = pick.random() < 0.1
        known = list(self._widgets)[-40 if sound else 0 :]
        said = pick.sample(known, min(len(known), pick.choice([0, 1, 1, 2, 5])))
        if sound and pick.random() < 0.2:  # what a reader does most: type
            said += [name for name in known if name.endswith("-code") and name not in said][:1]
        for name in said:
            widget = asked.widget_states.widgets.add()
            widget.id = name
            if pick.random() < (0.05 if sound else 0.3) or not self._right(widget, *self._widgets[name]):
                self._wrong(widget)
        return message

    def _right(self, widget: WidgetState, kind: str, shown: Any) -> bool:
        """Have a widget say what it could; False if that is not known."""
        pick = self._pick
        match kind:
            case "bidi_component":
                names = STATES.get(shown.component_name.rpartition("_")[2], " ".join(KEYS)).split()
                told = {key: self._value(3) for key in pick.sample(names, min(6, len(names)))}
                if "edit" in told and pick.random() < 0.8:
                    told["edit"] = self._edit()
                widget.json_value = json.dumps(told)
            case "button" | "download_button":
                widget.trigger_value = True
            case "checkbox" | "popover" | "expandable":
                widget.bool_value = pick.random() < 0.5
            case "slider" if not shown.options:
                widget.double_array_value.data.append(round(pick.uniform(shown.min, shown.max)))
            case "number_input":
                low, high = max(-1e6, shown.min), min(1e6, shown.max)
                widget.double_value = round(pick.uniform(low, high), pick.choice([0, 0, 2]))
            case "selectbox" | "radio" if shown.options:
                widget.string_value = pick.choice(shown.options)
            case "slider" | "button_group" | "multiselect":
                said = [getattr(option, "content", option) for option in shown.options]
                count = 1 if kind != "multiselect" else pick.randrange(4)
                widget.string_array_value.data.extend(pick.sample(said, min(count, len(said))))
            case "text_input" | "text_area":
                widget.string_value = pick.choice([*TEXTS, *TYPED])
            case _:
                return False
        return True

    def _wrong(self, widget: WidgetState) -> None:
        """Have a widget say anything."""
        pick = self._pick
        match pick.choice("json trigger bool int double string strings doubles files nothing".split()):
            case "json":
                widget.json_value = json.dumps(self._value(3))
            case "trigger":
                widget.trigger_value = True
            case "bool":
                widget.bool_value = pick.random() < 0.5
            case "int":
                widget.int_value = pick.choice([0, 1, -1, 1 << 31, (1 << 53), -(1 << 63)])
            case "double":
                widget.double_value = float(pick.choice(NUMBERS))
            case "string":
                widget.string_value = pick.choice(TEXTS)
            case "strings":
                widget.string_array_value.data.extend(pick.sample(TEXTS, pick.randrange(4)))
            case "doubles":
                widget.double_array_value.SetInParent()
                widget.double_array_value.data.extend(float(pick.choice(NUMBERS)) for _ in range(pick.randrange(4)))
            case "files":
                widget.file_uploader_state_value.uploaded_file_info.add(file_id="nothing", name="a.csv", size=3)

    def _value(self, deep: int) -> object:
        pick = self._pick
        match pick.randrange(9 if deep else 4):
            case 0:
                return pick.choice(TEXTS)
            case 8:
                return pick.choice(self._seen)
            case 1:
                return pick.choice(NUMBERS)
            case 2:
                return pick.choice([None, True, False])
            case 3 | 4:
                return {key: self._value(deep - 1) for key in pick.sample(KEYS, 3)} if deep else ""
            case 5:
                return [self._value(deep - 1) for _ in range(pick.randrange(4))]
        return {"edit": self._edit(), "cell": pick.choice(NUMBERS)}

    def _edit(self) -> dict[str, object]:
        """What the editor says after something was typed."""
        pick = self._pick
        count, (revision, ids) = int(time.time() * 1000), self._document
        revision = pick.choice([revision, revision, revision, -1, 0, 1, 2])
        cells = [[pick.choice([name, name, name, 7]), pick.choice(TEXTS)] for name in ids]
        act = pick.choice([None, None, {"do": "insert", "after": pick.choice(NUMBERS)}, {"do": "open", "name": "a.py"}])
        return {"count": count, "revision": revision, "cells": cells, "have": [], "act": act}

    def _other(self) -> BackMsg:
        pick, message = self._pick, BackMsg()
        match pick.randrange(7):
            case 0:
                message.stop_script = True
            case 1:
                message.clear_cache = True
            case 2:
                message.load_git_info = True
            case 3:
                message.app_heartbeat = True
            case 4:
                message.file_urls_request.request_id = "r"
                message.file_urls_request.file_names.extend(["a.csv"] * pick.choice([1, 3, 60]))
            case 5:
                message.debug_shutdown_runtime = True
            case _:
                request = message.backend_operation_request
                request.request_id, request.session_id = "r", pick.choice([self._session, "else"])
                if pick.random() < 0.5:
                    request.deferred_file.file_id = pick.choice(["", "nothing", *self._files])
                else:
                    request.install_skills.SetInParent()
        return message


def leaves(told: object, pick: random.Random, most: int = 20) -> Iterator[object]:
    """Some texts and numbers in what a component was told."""
    if isinstance(told, dict | list):
        inside = [*told, *told.values()] if isinstance(told, dict) else told
        for part in pick.sample(inside, min(len(inside), most)):
            yield from leaves(part, pick, 3)
    elif not isinstance(told, str) or len(told) < 200:
        yield told


def failures(log: IO[bytes]) -> Counter:
    """What the server's log has beside its lines of JSON, by its last line of each."""
    log.seek(0)
    text = log.read().decode("utf-8", "replace")
    found: Counter = Counter()
    for part in re.split(r"(?=Traceback \(most recent call last\))", text)[1:]:
        lines = [line for line in part.splitlines() if line.strip() and not line.startswith("{")]
        ours = [line.strip() for line in lines if "explorer/" in line or "streamlit/" in line]
        error = next((line for line in lines[1:] if line[:1] not in " ~^"), "")
        found[f"log: {error[:120]} | {ours[-1] if ours else ''}"] += 1
    for line in text.splitlines():
        if line.startswith('{"event":"undrawn"'):
            told = json.loads(line)
            found[f"undrawn: {told['page']} {told['error']} {told['place']}"] += 1
    return found


async def talk(port: int, seconds: float, seed: int, pid: int) -> tuple[Counter, Counter, list[float]]:
    """What was said, what pages showed as failures, and the memory of each quarter (MB)."""
    said, failed, held = Counter(), Counter(), []
    until = time.monotonic() + seconds
    talkers = [Talker(port, i, random.Random(f"{seed} {i}"), said, failed) for i in range(SESSIONS)]

    async def watch() -> None:
        while time.monotonic() < until:
            held.append(psutil.Process(pid).memory_info().rss / 1e6)
            await asyncio.sleep(min(5, seconds / 20))

    await asyncio.gather(watch(), *(one.live(until) for one in talkers))
    return said, failed, held


def main(seconds: str = "60", seed: str = "0", where: str = "hosted", kept: str = "") -> int:
    """Talks and prints."""
    hosted = {"hosted": "1", "home": "0"}[where]
    with (
        open(kept, "w+b") if kept else tempfile.TemporaryFile() as log,
        server(log, EXPLORER_HOSTED=hosted, EXPLORER_TIME_LIMIT="1") as (process, port),
    ):
        began = time.monotonic()
        said, failed, held = asyncio.run(talk(port, float(seconds), int(seed), process.pid))
        alive = process.poll() is None
        failed += failures(log)
    size = max(1, len(held) // 4)
    quarters = [round(statistics.median(held[i * size : (i + 1) * size] or [0])) for i in range(4)]
    took = time.monotonic() - began
    print(f"seed {seed}, {took:.0f} s, said {dict(said)}, MB by quarter {quarters}, {'' if alive else 'server ended'}")
    for what, count in failed.most_common():
        print(count, what)
    return 1 if failed or not alive else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
