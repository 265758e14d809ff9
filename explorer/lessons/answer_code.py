"""A learner's answers as a code that is handed to the teacher, and the codes that a teacher pastes.

The code is text: AE1- and base64url of zlib of JSON. No server keeps it. It is no proof: who can write such a code can
write any answers into it.
"""

import base64
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from explorer.safe_regex import linear

PREFIX = "AE1-"
MOST_CODE, MOST_UNPACKED = 8_000, 100_000  # characters of a code, bytes of what it unpacks to
MOST_TEXT, MOST_CODES = 400_000, 200  # characters that are pasted, codes that are read of them
SHORT, SHOWN = 60, 40  # characters of an answer in a code, and of a line that is told to be no code
_CODE = linear(r"AE1-[A-Za-z0-9_-]+")


class GivenAnswer(Struct, frozen=True, array_like=True):
    """The answer to one question. Attributes: tries: wrong answers; hints: how many were asked for; said: the last."""

    state: Literal["right", "shown", "open"]
    tries: Annotated[int, Meta(ge=0, le=999)] = 0
    hints: Annotated[int, Meta(ge=0, le=99)] = 0
    said: Annotated[str, Meta(max_length=SHORT)] = ""


Id = Annotated[str, Meta(max_length=130)]


class AnswerSheet(Struct, frozen=True, forbid_unknown_fields=True):
    """What one learner answered. Attributes: lessons: by the id of a lesson and of its question."""

    name: Annotated[str, Meta(max_length=60)]
    lessons: Annotated[
        dict[Id, Annotated[dict[Id, GivenAnswer], Meta(max_length=40)]],
        Meta(max_length=300),
    ]


@dataclass(frozen=True)
class PastedCodes:
    """What was found in a pasted text.

    Attributes:
        sheets: of the codes, in their order.
        wrong: (line from 1, its beginning) of lines without a code and of codes that are damaged.
        left_out: whether there was more than is read.
    """

    sheets: tuple[AnswerSheet, ...]
    wrong: tuple[tuple[int, str], ...]
    left_out: bool


_decoder = msgspec.json.Decoder(AnswerSheet)


def to_code(sheet: AnswerSheet) -> str:
    """The code of a sheet; where it would be too long, without what was said.

    >>> read_code(to_code(AnswerSheet("Ann", {"zero/slope": {"rise": GivenAnswer("right")}}))).name
    'Ann'
    """
    code = _packed(sheet)
    return code if len(code) <= MOST_CODE else _packed(_without_words(sheet))


def _packed(sheet: AnswerSheet) -> str:
    packed = zlib.compress(msgspec.json.encode(sheet), 9)
    return PREFIX + base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")


def _without_words(sheet: AnswerSheet) -> AnswerSheet:
    lessons = {
        id: {name: replace(given, said="") for name, given in answers.items()} for id, answers in sheet.lessons.items()
    }
    return replace(sheet, lessons=lessons)


def read_code(code: str) -> AnswerSheet | None:
    """The answers that a code holds; None for a damaged code and for other text.

    At most MOST_UNPACKED bytes are unpacked.
    """
    if len(code) > MOST_CODE or _CODE.fullmatch(code) is None:
        return None
    body = code.removeprefix(PREFIX)
    try:
        reader = zlib.decompressobj()
        unpacked = reader.decompress(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)), MOST_UNPACKED)
        return _decoder.decode(unpacked) if reader.eof else None  # zlib checks a sum at the end
    except (ValueError, zlib.error, RecursionError):
        return None


def read_codes(text: str) -> PastedCodes:
    """The sheets of all codes in a text; names and words beside a code in its line do no harm."""
    sheets: list[AnswerSheet] = []
    wrong: list[tuple[int, str]] = []
    left_out = len(text) > MOST_TEXT
    for number, line in enumerate(text[:MOST_TEXT].splitlines(), 1):
        if not line.strip():
            continue
        if len(sheets) + len(wrong) >= MOST_CODES:
            return PastedCodes(tuple(sheets), tuple(wrong), True)
        found = _CODE.search(line)
        sheet = None if found is None else read_code(found[0])
        if sheet is None:
            wrong.append((number, line.strip()[:SHOWN]))
        else:
            sheets.append(sheet)
    return PastedCodes(tuple(sheets), tuple(wrong), left_out)


def right(answers: Iterable[GivenAnswer]) -> int:
    """How many were answered right."""
    return sum(given.state == "right" for given in answers)
