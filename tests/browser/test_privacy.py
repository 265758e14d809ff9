"""What the privacy sentence of a hosted site promises, seen in a browser."""

from explorer.program.permalink import to_fragment

SECRET = "my_secret_name"
PROGRAM = f"import torch\n{SECRET} = torch.tensor(2., requires_grad=True)\n({SECRET} * 3).backward()"


def test_no_cookie_but_streamlits_no_other_site_and_the_link_in_no_request(open_page):
    fragment = to_fragment({"program": PROGRAM})
    page = open_page(f"/#{fragment}", wait=f".st-key-graph g.node:has-text('{SECRET}')")
    kept = page.context.cookies()
    assert {cookie["name"] for cookie in kept} == {"_streamlit_xsrf"}
    assert {cookie["expires"] for cookie in kept} == {-1}  # gone with the browser
    home = page.evaluate("location.host")
    asked = [url for url in page.requested if url.startswith(("http", "ws"))]
    assert asked and {url.split("/")[2] for url in asked} == {home}
    assert not any(fragment[:40] in url or SECRET in url for url in (url.partition("#")[0] for url in asked))
