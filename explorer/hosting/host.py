"""The server's operator, the handling of programs, and where to report problems."""

import os
from collections.abc import Mapping
from html import escape

import streamlit as st
from msgspec import Struct

from explorer.safe_regex import linear
from explorer.sandbox import hosting
from explorer.text import say

OPERATOR, REPORT = "EXPLORER_OPERATOR", "EXPLORER_REPORT"  # environment variables: a name, and an address
LONGEST = 200  # characters of a name or an address

_ADDRESS = linear(
    r"https://[A-Za-z0-9.-]{1,100}(?:[:/][A-Za-z0-9._~:/?#@!$&()*+,;=%-]{0,200})?"
    r"|mailto:[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,100}"
)


class Host(Struct, frozen=True):
    """The operator of a server.

    Attributes:
        operator: name, or "".
        report: https or mailto address for problems, or "".
    """

    operator: str = ""
    report: str = ""


def host(environment: Mapping[str, str] = os.environ) -> Host:
    """Read the operator from the environment. Raises ValueError if invalid or too long."""
    operator, report = (environment.get(name, "").strip() for name in (OPERATOR, REPORT))
    if len(operator) > LONGEST or not operator.isprintable():
        raise ValueError(f"{OPERATOR}: a name has one line of at most {LONGEST} characters, found {len(operator)}")
    if report and (len(report) > LONGEST or not _ADDRESS.fullmatch(report)):
        raise ValueError(
            f"{REPORT}: “{report[:60]}” is no address."
            " It has to be like https://school.example/help or mailto:help@school.example"
        )
    return Host(operator, report)


def about(lang: str) -> None:
    """Draw the operator's notice, only on a hosted site."""
    if hosting.hosted():
        st.html(about_html(host(), lang))


def about_html(host: Host, lang: str) -> str:
    """Render the operator's name, the handling of programs, and the address for problems."""
    lines = [f'<p class="menu-title">{escape(say(lang, "host-title"))}</p>']
    if host.operator:
        lines.append(f'<p class="quiet">{escape(say(lang, "host-operator", name=host.operator))}</p>')
    lines += [f'<p class="quiet">{escape(say(lang, name))}</p>' for name in ("host-privacy", "host-links")]
    if host.report:
        away = 'target="_blank" rel="noopener noreferrer"'
        lines.append(f'<p><a href="{escape(host.report)}" {away}>{escape(say(lang, "host-report"))}</a></p>')
    return f'<div class="about-host">{"".join(lines)}</div>'
