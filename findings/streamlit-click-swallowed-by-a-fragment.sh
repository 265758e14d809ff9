#!/usr/bin/env bash
# Streamlit 1.67.0, with Playwright 1.65.2 and Chromium.
#
# A component inside of a fragment sets its state when a pointer goes down anywhere on the page; in the same moment a
# button outside of the fragment is clicked. The browser sends both in one message, with the fragment's id, and the server
# draws the fragment alone: the button's click is taken in, and the page that depends on it is not drawn.
# Expected: a message with a widget outside of the fragment draws the whole page, as the click alone does.
# Seen: the page still says "clicks 0" after the click that came with the component's state, and "clicks 2" after a second
# click, which came alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
server=
python3 -m venv "$folder/environment"
python="$folder/environment/bin/python"
"$python" -m pip install -q streamlit==1.67.0 playwright==1.65.2
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || "$python" -m playwright install --with-deps chromium

cat > "$folder/app.py" <<'APP'
import streamlit as st

JS = """export default ({ setStateValue, parentElement }) => {
  const down = () => window.joins && setStateValue("touched", Date.now());
  document.addEventListener("pointerdown", down, true);
  return () => document.removeEventListener("pointerdown", down, true);
};"""
listener = st.components.v2.component("listener", html="<i></i>", js=JS, isolate_styles=False)
st.session_state.draws = st.session_state.get("draws", 0) + 1
st.session_state.setdefault("clicks", 0)


@st.fragment
def part():
    listener(key="listener", default={"touched": None}, on_touched_change=lambda: None)


part()
st.button("Click", on_click=lambda: st.session_state.update(clicks=st.session_state.clicks + 1))
st.text(f"clicks {st.session_state.clicks}, draws {st.session_state.draws}")
APP

cat > "$folder/seen.py" <<'SEEN'
import re
import sys

from playwright.sync_api import sync_playwright

with sync_playwright() as started:
    how = {"executable_path": sys.argv[2]} if sys.argv[2] else {}
    page = started.chromium.launch(args=["--no-sandbox"], **how).new_page()
    page.goto(sys.argv[1])
    words = page.get_by_text(re.compile(r"^clicks \d+, draws \d+$"))
    words.wait_for(timeout=60_000)
    page.wait_for_timeout(2_000)
    seen = [words.inner_text()]
    for joins in ("true", "false"):
        page.evaluate(f"window.joins = {joins}")
        page.get_by_role("button", name="Click").click()
        page.wait_for_timeout(3_000)
        seen.append(words.inner_text())
print(*seen, sep="\n")
SEEN

port=$("$python" -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
(cd "$folder" && exec "$python" -m streamlit run app.py --server.port "$port" --server.headless true \
  --browser.gatherUsageStats false) >"$folder/log" 2>&1 &
server=$!
until "$python" -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/_stcore/health')" 2>/dev/null; do sleep 1; done
seen=$("$python" "$folder/seen.py" "http://127.0.0.1:$port" "$browser")
echo "$seen"
[ "$(echo "$seen" | cut -d, -f1 | tr '\n' ' ')" = "clicks 0 clicks 0 clicks 2 " ]
