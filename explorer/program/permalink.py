"""Texts in a URL fragment: written by the page, read from strangers within limits."""

import base64
import json
import zlib

from explorer.safe_regex import plain

MAX_FRAGMENT = 32_000  # characters; longer programs must be saved as a file
MAX_UNPACKED = 400_000  # bytes after unpacking
_ALPHABET = plain(r"[A-Za-z0-9_-]*")


class BadLink(ValueError):
    """Raised for a fragment that no page wrote, or that unpacks to too much."""


def to_fragment(texts: dict[str, str]) -> str:
    """Encode named texts as a fragment without `#`, "" for no texts.

    The encoding is base64url (RFC 4648) of zlib (RFC 1950) of JSON.

    >>> from_fragment(to_fragment({"program": "x = 1"}))
    {'program': 'x = 1'}
    """
    if not texts:
        return ""
    packed = zlib.compress(json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass"), 9)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")


def from_fragment(fragment: str) -> dict[str, str]:
    """Decode a fragment's texts. Raises BadLink. Unpacks at most MAX_UNPACKED bytes."""
    fragment = fragment.removeprefix("#")
    if not fragment:
        return {}
    if len(fragment) > MAX_UNPACKED or not _ALPHABET.fullmatch(fragment):
        raise BadLink("not a fragment of this page")
    try:
        packed = base64.urlsafe_b64decode(fragment + "=" * (-len(fragment) % 4))
        reader = zlib.decompressobj()
        unpacked = reader.decompress(packed, MAX_UNPACKED)
        if not reader.eof:
            raise BadLink("a fragment that is cut off or becomes too large")
        texts = json.loads(unpacked.decode("utf-8", "surrogatepass"))
    except (zlib.error, RecursionError, ValueError) as problem:
        raise problem if isinstance(problem, BadLink) else BadLink(str(problem)) from None
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise BadLink("a fragment that holds no texts")
    return texts
