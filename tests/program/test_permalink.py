"""Texts in an address fragment: round trips and invalid input."""

import base64
import json
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.program.permalink import MAX_UNPACKED, BadLink, from_fragment, to_fragment

PROGRAM = "x = torch.arange(4., requires_grad=True)\ny = x * x\ny.sum().backward()\n" * 20


@pytest.mark.thorough
@given(st.dictionaries(st.text(), st.text()))
def test_texts_survive_a_round_trip_through_a_link(texts):
    assert from_fragment(to_fragment(texts)) == texts


def test_a_link_is_shorter_than_its_program_and_safe_in_an_address():
    fragment = to_fragment({"program": PROGRAM})
    assert len(fragment) < len(PROGRAM) / 4 and fragment.isascii() and not set(fragment) & set("+/=#?&%")
    assert to_fragment({}) == "" and from_fragment("") == {} == from_fragment("#")


@settings(max_examples=30)
@given((st.text() | st.binary().map(lambda data: base64.urlsafe_b64encode(data).decode())).filter(lambda one: one[1:]))
def test_invalid_links_are_rejected(fragment):
    with pytest.raises(BadLink):
        from_fragment(fragment)


def packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(data)).decode().rstrip("=")


@pytest.mark.parametrize(
    "fragment",
    [
        packed(b" " * 50_000_000),  # small when packed, huge when unpacked
        packed(json.dumps({"program": "x" * MAX_UNPACKED}).encode()),
        packed(b"[" * 100_000),
        packed(b"[1, 2]"),
        packed(b'{"program": 1}'),
        packed(b"\xff\xfe"),
        to_fragment({"program": PROGRAM})[:-9],
    ],
)
def test_large_or_odd_data_is_not_unpacked(fragment):
    with pytest.raises(BadLink):
        from_fragment(fragment)
