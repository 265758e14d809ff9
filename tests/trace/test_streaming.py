"""A run's messages while it runs, read from untrusted bytes."""

import msgspec

from explorer.trace import Echo, Printed, Result, Span
from explorer.trace.streaming import MOST_OUTPUTS, Piece, encode, read


def printed(text: str) -> Printed:
    return Printed("stdout", text)


def test_pieces_add_up_to_the_outputs_of_the_cells():
    pieces = [
        encode(Piece(0, False, False, [printed("a")], [])),
        encode(Piece(0, False, True, [printed("b"), Echo("1")], [])),
        encode(Piece(1, False, False, [Result(0, "2")], [Span(1, 1, 0, 1, 1)])),
    ]
    told = read(pieces, 3)
    assert told.outputs == [[printed("ab"), Echo("1")], [Result(0, "2")], []]
    assert (told.running, told.spans) == (1, [Span(1, 1, 0, 1, 1)])


def test_replaced_output_is_removed():
    pieces = [encode(Piece(0, False, False, [printed("a")], [])), encode(Piece(0, True, True, [printed("b")], []))]
    assert read(pieces, 1).outputs == [[printed("b")]]


def test_after_all_cells_the_last_is_current():
    assert read([encode(Piece(0, False, True, [], []))], 1).running == 0
    assert read([], 0) == read([], 0) and read([], 0).running == 0


def test_reading_ends_at_the_first_invalid_piece():
    good = encode(Piece(1, False, False, [printed("a")], []))
    many = encode(Piece(1, False, False, [Echo("")] * MOST_OUTPUTS, []))
    wrong = [
        b"",
        b"\xc1",
        b"\x90" * 1000,
        msgspec.msgpack.encode([1, False, False, [{"kind": "unknown"}], []]),
        encode(Piece(0, False, False, [], [])),  # a cell that has ended
        encode(Piece(9, False, False, [], [])),  # a cell that doesn't exist
        encode(Piece(-1, True, False, [], [])),
        many,
    ]
    for piece in wrong:
        assert read([good, piece, good], 2).outputs == [[], [printed("a")]]
