"""Commands and Python blocks of a document, found by markdown-it and run where the document states.

Marks are HTML comments: `runs in: draw` (until the next such mark; with `, at the project` commands start in the
project's folder), `not run: reason` (for the next block, or the commands of a paragraph), `file: train.py` (the next
block is written there). A comment that begins with `python` or `bash` and a new line is run, and not shown.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from tests.installed.environments import EXTRAS, ROOT, Environments
from tests.patience import PATIENT

MARK = re.compile(r"<!--\s*(runs in|not run|file):\s*(.*?)\s*-->", re.DOTALL)
HIDDEN = re.compile(r"<!--\s*(python|bash)\n(.*?)-->", re.DOTALL)
TOOLS = (
    "git clone|docker|openssl|systemctl|certbot|apt-get|ruff|mypy|lint-imports|pytest|pip3?|python|autograd-explorer"
)
COMMAND = re.compile(rf"^(?!python -c$)(?:\w+=\S+ )*(?:export \w+=|(?:{TOOLS}) \S)", re.MULTILINE)
SHELL, PYTHON = ("bash", "sh", "console"), ("python", "py", "ipython")
SERVES = re.compile(r"(?:https?|tcp|tls)://[\w.\[\]-]+:\d+")  # printed by a server when it is ready


@dataclass(frozen=True)
class Block:
    """A command or block that a reader may run.

    Attributes:
        line: in the document; language: bash, python or ipython.
        expected: the output shown below it; None: nothing.
        where: the environment; at_project: whether in the project's folder.
        reason: why it is not run; file: where its text is written instead; shown: whether readers see it.
    """

    line: int
    language: str
    code: str
    where: str
    at_project: bool
    reason: str = ""
    file: str = ""
    expected: str | None = None
    shown: bool = True


def blocks(path: Path) -> Iterator[Block]:
    """Yield all blocks of a document. Raises AssertionError for a block before the first mark."""
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    where, at_project, reason, file = "", False, "", ""
    for at, token in enumerate(tokens):
        line = (token.map or [0])[0] + 1
        comments = token.content if token.type == "html_block" else ""
        codes: list[tuple[str, str]] = []
        if token.type == "inline":
            comments = "".join(child.content for child in token.children or () if child.type == "html_inline")
            spans = (child.content for child in token.children or () if child.type == "code_inline")
            codes = [("bash", code) for code in spans if COMMAND.match(code)]
        elif token.type in ("fence", "code_block"):
            language = token.info.split()[0] if token.info.strip() else ""
            if language in (*SHELL, *PYTHON) or file or (not language and COMMAND.search(token.content)):
                codes = [("bash" if language in (*SHELL, "") else language, token.content)]
        for name, said in MARK.findall(comments):
            if name == "runs in":
                where, _, place = said.partition(", at ")
                at_project, reason, file = bool(place), "", ""
                assert where in (*EXTRAS, "development"), f"{path.name}:{line}: no environment is called {where}"
            reason, file = (said if name == "not run" else reason), (said if name == "file" else file)
        codes += HIDDEN.findall(comments)
        below = tokens[at + 1] if at + 1 < len(tokens) else None
        expected = below.content if below and below.type == "fence" and below.info in ("", "text") else None
        for language, code in codes:
            assert where or reason, f"{path.name}:{line}: a mark says in which environment this runs\n{code}"
            shown = token.type != "html_block"
            told = expected if token.type == "fence" and language in PYTHON else None
            yield Block(line, language, code, where, at_project, reason, file, told, shown)
        if codes or token.type in ("inline", "fence", "code_block"):
            reason, file = "", ""


class Reader:
    """Runs the blocks of one document in one scratch folder, with a Python session for each environment.

    Args:
        of: name of its own environments, for a document that installs into them; "" for the shared ones.
    """

    def __init__(self, environments: Environments, scratch: Path, of: str) -> None:
        self.environments, self.scratch, self.of = environments, scratch, of
        self.project: Path | None = None
        self.sessions: dict[str, subprocess.Popen] = {}
        (scratch / "here").mkdir()

    def run(self, block: Block) -> str:
        """Run a block; return the problem, "" if it does what the document shows."""
        if block.file:
            place = self.scratch / "here" / block.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.code, encoding="utf-8")
            return ""
        return self._command(block) if block.language == "bash" else self._python(block)

    def close(self) -> None:
        """End the Python sessions."""
        for session in self.sessions.values():
            session.communicate()

    def _interpreter(self, block: Block) -> Path:
        return Path(sys.executable) if block.where == "development" else self.environments.python(block.where, self.of)

    def _folder(self, block: Block) -> Path:
        if block.where == "development":
            return ROOT
        if block.at_project and self.project is None:
            self.project = self.environments.project(self.scratch / "project")
        return self.project if block.at_project and self.project else self.scratch / "here"

    def _surroundings(self, block: Block) -> dict[str, str]:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "EXPLORER", "PYTEST"))
        }
        streamlit = {"STREAMLIT_SERVER_HEADLESS": "true", "STREAMLIT_SERVER_PORT": port}
        path = f"{self._interpreter(block).parent}{os.pathsep}{os.environ['PATH']}"
        return {**kept, **streamlit, "PATH": path, "NO_MKDOCS_2_WARNING": "1"}

    def _python(self, block: Block) -> str:
        if block.where not in self.sessions:
            self.sessions[block.where] = subprocess.Popen(
                [self._interpreter(block), Path(__file__).with_name("session.py")],
                cwd=self._folder(block),
                env=self._surroundings(block) | ({"PYTHONPATH": str(ROOT)} if block.where == "development" else {}),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        session = self.sessions[block.where]
        assert session.stdin and session.stdout
        session.stdin.write(json.dumps({"language": block.language, "code": block.code}) + "\n")
        session.stdin.flush()
        answer = json.loads(session.stdout.readline() or '{"printed": "", "error": "its process ended"}')
        if answer["error"] or block.expected in (None, answer["printed"]):
            return answer["error"]
        return f"it prints\n{answer['printed']}and the document shows\n{block.expected}"

    def _command(self, block: Block) -> str:
        printed = self.scratch / "printed"
        with printed.open("w") as output:
            command = subprocess.Popen(
                ["bash", "-ec", block.code],
                cwd=self._folder(block),
                env=self._surroundings(block),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        until = time.monotonic() + PATIENT
        while (status := command.poll()) is None and time.monotonic() < until:
            time.sleep(0.05)
            if SERVES.search(printed.read_text(errors="replace")):
                time.sleep(1)  # still running, so the address was accepted
                status = command.poll() or 0
                break
        if command.poll() is None:
            os.killpg(command.pid, signal.SIGTERM)
            command.wait()
        text = printed.read_text(errors="replace")
        failed = status != 0 or "Traceback (most recent call last)" in text
        return f"{block.code.strip()}\nended with {status}\n{text}" if failed else ""
