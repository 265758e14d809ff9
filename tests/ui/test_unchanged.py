"""What a browser gets of a drawing: what differs from what it shows."""

import random

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.ui.streamlit_patches.unchanged import Screen

PAGE, PART = "page", "part"  # two fragments: the second stands in the first


def begins(run: str, *fragments: str) -> ForwardMsg:
    """The beginning of a run, of the whole app without fragments."""
    message = ForwardMsg()
    message.new_session.name = "app"
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def ends(run: str, *fragments: str, early: bool = False) -> ForwardMsg:
    message = ForwardMsg()
    done = ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY if fragments else ForwardMsg.FINISHED_SUCCESSFULLY
    message.script_finished = ForwardMsg.FINISHED_EARLY_FOR_RERUN if early else done
    message.metadata.run.script_run_id = run
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def block(*path: int, fragment: str = PAGE) -> ForwardMsg:
    message = ForwardMsg()
    message.delta.add_block.flex_container.border = False
    return _placed(message, path, fragment)


def html(words: str, *path: int, fragment: str = PAGE) -> ForwardMsg:
    message = ForwardMsg()
    message.delta.new_element.html.body = words
    return _placed(message, path, fragment)


def _placed(message: ForwardMsg, path: tuple[int, ...], fragment: str) -> ForwardMsg:
    message.delta.fragment_id = fragment
    message.hash = str(message.delta)
    message.metadata.delta_path.extend(path)
    return message


class Browser:
    """The tree that Streamlit's browser keeps: the words and the run of each element, in blocks."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[int, ...], tuple[ForwardMsg, str]] = {}
        self.run = ""

    def take(self, messages: list[ForwardMsg]) -> "Browser":
        for message in messages:
            kind, run = message.WhichOneof("type"), message.metadata.run
            if kind == "new_session":
                self.run = run.script_run_id
            elif kind == "script_finished":
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    self.clear(run.script_run_id)
            else:
                path = tuple(message.metadata.delta_path)
                assert path[:-1] in self.nodes or len(path) == 1, "an element without what it stands in"
                if message.delta.HasField("new_element"):
                    self.nodes = {at: node for at, node in self.nodes.items() if at[: len(path)] != path}
                for end in range(1, len(path) + 1):
                    here = path[:end]
                    self.nodes[here] = (message if here == path else self.nodes[here][0], self.run)
        return self

    def clear(self, run: str) -> None:
        self.nodes = {path: node for path, node in self.nodes.items() if node[1] == run}

    def shows(self) -> dict[tuple[int, ...], str]:
        told = {path: message.delta.new_element.html.body for path, (message, _) in self.nodes.items()}
        return {path: words for path, words in told.items() if words}


def bodies(messages: list[ForwardMsg]) -> list[str]:
    return [message.delta.new_element.html.body for message in messages if message.delta.new_element.HasField("html")]


def test_an_edit_sends_the_line_that_it_changes():
    screen = Screen()
    screen.changes([begins("1"), block(0), html("title", 0, 0), html("3", 0, 1), ends("1")])
    again = [begins("2", PAGE), block(0), html("title", 0, 0), html("4", 0, 1), ends("2", PAGE)]
    assert bodies(screen.changes(again)) == ["4"]


def test_the_whole_app_is_sent_whole():
    screen = Screen()
    screen.changes([begins("1"), block(0), html("title", 0, 0), ends("1")])
    assert bodies(screen.changes([begins("2"), block(0), html("title", 0, 0), ends("2")])) == ["title"]


def test_what_is_gone_is_cleared_before_anything_else_comes():
    screen = Screen()
    screen.changes([begins("1"), block(0), html("a", 0, 0), html("b", 0, 1), ends("1")])
    sent = screen.changes([begins("2", PAGE), block(0), html("b", 0, 0), ends("2", PAGE)])
    assert [list(message.metadata.delta_path) for message in sent[1:3]] == [[0, 1], [0, 0]]
    assert sent[1].delta.new_element.HasField("empty")
    assert bodies(screen.changes([begins("3", PAGE), block(0), html("b", 0, 0), ends("3", PAGE)])) == []


def test_what_another_fragment_drew_stays():
    screen = Screen()
    screen.changes([begins("1"), block(0), html("title", 0, 0), block(0, 1, fragment=PART), ends("1")])
    sent = screen.changes([begins("2", PART), block(0, 1, fragment=PART), ends("2", PART)])
    assert [message.WhichOneof("type") for message in sent] == ["new_session", "script_finished"]


def test_what_a_browser_keeps_by_its_digest_is_always_named():
    screen = Screen()
    large = html("large", 0, 0)
    named = ForwardMsg(ref_hash=large.hash)
    named.metadata.delta_path.extend([0, 0])
    screen.changes([begins("1"), block(0), large, ends("1")])
    assert named in screen.changes([begins("2", PAGE), block(0), named, ends("2", PAGE)])


def drawing(chance: random.Random, words: int) -> list[ForwardMsg]:
    """A page of a few blocks, of which one is another fragment's."""
    drawn = [block(0)]
    for at in range(chance.randrange(4)):
        drawn.append(html(str(chance.randrange(words)), 0, at) if chance.random() < 0.6 else block(0, at))
        if drawn[-1].delta.HasField("add_block"):
            drawn += [html(str(chance.randrange(words)), 0, at, inner) for inner in range(chance.randrange(3))]
    drawn.append(block(1, fragment=PART))
    return drawn + part(chance, words)


def part(chance: random.Random, words: int) -> list[ForwardMsg]:
    return [html(str(chance.randrange(words)), 1, at, fragment=PART) for at in range(chance.randrange(3))]


def test_after_any_drawings_a_browser_shows_what_was_drawn_last():
    for seed in range(200):
        chance = random.Random(seed)
        screen, browser = Screen(), Browser()
        for number in range(12):
            fragments = () if number == 0 or chance.random() < 0.2 else (PAGE, PART)
            drawn = drawing(chance, 3)
            run = str(number)
            if chance.random() < 0.2:  # it is asked for the next one, and ends early
                cut = [begins(run, *fragments), *drawn[: chance.randrange(len(drawn))]]
                browser.take(screen.changes([*cut, ends(run, *fragments, early=True)]))
                continue
            browser.take(screen.changes([begins(run, *fragments), *drawn, ends(run, *fragments)]))
            assert browser.shows() == Browser().take([begins("x"), *drawn, ends("x")]).shows(), seed
