"""Information that a hosted server shows its visitors."""

import pytest

from explorer.hosting.host import OPERATOR, REPORT, Host, about_html, host


def test_the_operator_and_the_address_for_problems_are_shown_escaped():
    said = about_html(Host("Ada & Sons <School>", "https://school.example/help?a=1&b=2"), "en")
    assert "Operated by Ada &amp; Sons &lt;School&gt;." in said.replace("\u2068", "").replace("\u2069", "")
    assert 'href="https://school.example/help?a=1&amp;b=2"' in said


def test_the_settings_are_read_or_refused():
    found = host({OPERATOR: " A school ", REPORT: "mailto:help@school.example"})
    assert found == Host("A school", "mailto:help@school.example")
    assert host({REPORT: "https://school.example"}).report
    for bad in ("javascript:alert(1)", "http://school.example", "https://", "https://a b", 'https://a/"onclick'):
        with pytest.raises(ValueError, match=r"EXPLORER_REPORT: .* is no address"):
            host({REPORT: bad})
    with pytest.raises(ValueError, match="EXPLORER_OPERATOR: a name has one line"):
        host({OPERATOR: "two\nlines"})
