"""Refuse requests that name another host, before Streamlit sees them.

The owner of another site can have its name lead to this machine (DNS rebinding). Streamlit compares the Origin of a
request with its Host, and there both have that name. So the app answers only to names that are its own.
"""

import ipaddress
from collections.abc import Callable, Collection
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.responses import PlainTextResponse
from starlette.types import Scope

from explorer.sandbox.hosting import EVERY_NAME, site_names
from explorer.text import LANGUAGES, say

LOOPBACK = ".localhost"  # names below it never leave the machine either (RFC 6761)


def refusal(scope: Scope) -> PlainTextResponse | None:
    """Refuse a request or WebSocket for another host with status 403, otherwise None."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    arrived = (scope.get("server") or ("",))[0].removeprefix("::ffff:")  # IPv4 at a socket of IPv6
    if hosts and all(answered(host, own_names(), arrived) for host in hosts):
        return None
    found = ", ".join(hosts)[:100]
    lines = (f"{say(lang, 'host-refused', host=found)}\n" for lang in LANGUAGES)
    return PlainTextResponse("".join(lines), 403, {"cache-control": "no-store"})


def answered(host: str, names: Collection[str], arrived: str = "") -> bool:
    """Return whether the app answers to a Host: loopback, owner's names, or `arrived`.

    Args:
        host: host of the request, with or without a port.
        names: the owner's names in lower case. `*.` matches any prefix, EVERY_NAME all names.
        arrived: this machine's address that the request reached, which DNS cannot redirect.
    """
    try:
        parts = urlsplit(f"//{host}")
        name, _ = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:  # not an IPv6 address in the brackets, or not a port
        return False
    if not name or parts.netloc != host or "@" in host:
        return False
    if any(one in (EVERY_NAME, name) or (one[:2] == "*." and name.endswith(one[1:])) for one in names):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback or name == arrived
    except ValueError:
        return f".{name}".endswith(LOOPBACK)


@cache
def own_names() -> frozenset[str]:
    """Return the server's names. Streamlit's options don't change while it runs."""
    return named(st.get_option)


def named(option: Callable[[str], Any]) -> frozenset[str]:
    """Return the owner's names from environment, command line and settings files."""
    given = [option(name) for name in ("browser.serverAddress", "server.address")]
    names = (*given, *option("server.allowedHosts"), *site_names({}))
    return frozenset(name.strip().lower().strip(".[]") for name in names if name)
