"""Send what differs from what the browser shows.

A page is drawn as a whole, and Streamlit sends all of it: after an edit seventy elements, of which sixty stand there
already. Here the thread that sends leaves those out. Streamlit's browser removes what was not sent again, by the name
of the run that sent it. So the run of a fragment has the name of the whole app's last run, and what the page no longer
has is replaced by Streamlit's empty element, which takes no room. A run of the whole app sends everything.
"""

from msgspec import Struct
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession

Path = tuple[int, ...]


class Placed(Struct, gc=False):
    """What stands at a place.

    Attributes:
        digest: "" if not known.
        block: the kind of a block, "" for an element.
        fragment: the id of the fragment that drew it.
    """

    digest: str
    block: str
    fragment: str


class Screen:
    """What one browser shows, as far as it was sent."""

    def __init__(self) -> None:
        self._shown: dict[Path, Placed] = {}
        self._touched: set[Path] = set()  # in this run
        self._fragments: frozenset[str] = frozenset()  # that this run draws, none for the whole app
        self._run = self._script = ""  # the names of the whole app's last run and of the page's file

    def changes(self, messages: list[ForwardMsg]) -> list[ForwardMsg]:
        """The messages that the browser needs, in order. It must get them."""
        needed: list[ForwardMsg] = []
        begun = 0  # messages up to the beginning of the run
        for message in messages:
            match message.WhichOneof("type"):
                case "new_session":
                    self._begin(message)
                    begun = len(needed) + 1
                case "script_finished":
                    needed[begun:begun] = self._end(message)  # what is gone must not stand beside what comes
                case "delta" | "ref_hash" if not self._is_news(message):
                    continue
            needed.append(message)
        return needed

    def _begin(self, message: ForwardMsg) -> None:
        self._touched, self._fragments = set(), frozenset(message.metadata.run.fragment_ids)
        if self._fragments:
            message.metadata.run.script_run_id = self._run
            return
        self._run = message.metadata.run.script_run_id
        for node in self._shown.values():
            node.digest = ""  # it may have been removed: to replace it would be an error

    def _is_news(self, message: ForwardMsg) -> bool:
        """Whether the browser shows something else. It forgets what it keeps by its digest unless that is named."""
        path, element = tuple(message.metadata.delta_path), message.delta.new_element
        toast = element.WhichOneof("type") == "toast"  # which ends by itself
        digest = "" if toast else message.ref_hash or message.hash
        self._script = message.metadata.active_script_hash
        if message.delta.WhichOneof("type") == "new_transient":
            return True
        self._touched.add(path)
        before = self._shown.get(path)
        if digest and before is not None and before.digest == digest and not message.metadata.cacheable:
            return message.HasField("ref_hash") or element.has_one_shot_effect
        block = message.delta.add_block.WhichOneof("type") or "" if message.delta.HasField("add_block") else ""
        if before is not None and before.block and before.block != block:  # the browser drops what stood in it
            self._drop(path)
        self._shown[path] = Placed(digest, block, message.delta.fragment_id)
        return True

    def _end(self, message: ForwardMsg) -> list[ForwardMsg]:
        """Messages that clear what the run did not draw again."""
        if not self._fragments:
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                self._shown = {path: node for path, node in self._shown.items() if path in self._touched}
            return []
        message.metadata.run.script_run_id = self._run
        if message.script_finished != ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
            return []
        gone = sorted(path for path in self._shown.keys() - self._touched if self._is_gone(path))
        cleared = []
        for path in gone:
            if path in self._shown:  # and not in a block that was cleared
                self._drop(path)
                del self._shown[path]
                cleared.append(self._empty(path))
        return cleared

    def _is_gone(self, path: Path) -> bool:
        """Whether it belongs to what the run drew, and was not drawn again."""
        around = (path[:end] for end in range(len(path)))
        drawn = (self._shown[block] for block in around if block in self._touched and block in self._shown)
        return bool(self._shown[path].digest) and any(block.fragment in self._fragments for block in drawn)

    def _drop(self, path: Path) -> None:
        """Forget what stands in a block."""
        for inner in [inner for inner in self._shown if len(inner) > len(path) and inner[: len(path)] == path]:
            del self._shown[inner]

    def _empty(self, path: Path) -> ForwardMsg:
        message = ForwardMsg()
        message.delta.new_element.empty.SetInParent()
        message.metadata.delta_path.extend(path)
        message.metadata.active_script_hash = self._script
        return message


def changes(session: AppSession, messages: list[ForwardMsg]) -> list[ForwardMsg]:
    """Those of a session's messages that its browser needs."""
    screen: Screen = vars(session).setdefault("_explorer_screen", Screen())
    return screen.changes(messages)
