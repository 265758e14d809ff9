"""What was not sent when a fragment is drawn anew: nothing of it may come without what it stands in."""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from explorer.ui.streamlit_patches.late_requests import clear


def block(fragment: str, *path: int) -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path[:] = path
    message.delta.add_block.vertical.border = False
    message.delta.fragment_id = fragment
    return message


def text(fragment: str, *path: int, body: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path[:] = path
    message.delta.new_element.html.body = body
    message.delta.fragment_id = fragment
    return message


def digest(*path: int) -> ForwardMsg:
    message = ForwardMsg(ref_hash="of an element that was sent before")
    message.metadata.delta_path[:] = path
    return message


def queued(messages: list[ForwardMsg], fragments: list[str] | None) -> ForwardMsgQueue:
    queue = ForwardMsgQueue()
    for one in messages:
        queue.enqueue(one)
    clear(queue, retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
    return queue


def test_elements_of_inner_fragments_and_digests_go_with_what_stands_before_them():
    drawn = [block("page", 0, 1), text("page", 0, 1, 0), digest(0, 1, 1), text("inner", 0, 1, 2), digest(0, 2, 0)]
    assert queued(drawn, ["page"]).is_empty()


def test_they_go_also_where_the_block_around_them_has_left_before():
    assert queued([text("page", 0, 1, 3), digest(0, 1, 4), text("inner", 0, 1, 5, 0)], ["page"]).is_empty()


def test_what_stands_before_and_what_another_fragment_drew_stays():
    head = [block("head", 0, 0), digest(0, 0, 3), text("", 0, 9), digest(0, 1, 0)]
    assert queued([*head, text("page", 0, 1, 2)], ["page"]).flush() == head


def test_a_page_that_is_drawn_as_a_whole_drops_what_it_drew_before():
    assert queued([block("page", 0, 1), digest(0, 1, 0)], None).is_empty()
