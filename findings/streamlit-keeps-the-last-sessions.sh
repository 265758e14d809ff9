#!/usr/bin/env bash
# Streamlit 1.67.0: the last 128 sessions that ended stay until other sessions end, with an event loop each.
# Expected: MemorySessionStorage(ttl_seconds=120) frees a session two minutes after its browser left.
# Seen: an app of one line holds three descriptors for each of the last 128 visitors, and what their session states
# hold, long after that: its TTLCache drops entries only when another one is saved. Closing the page or losing the
# connection makes no difference.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
server=
python3 -m venv "$folder/env"
python="$folder/env/bin/python"
"$python" -m pip install -q streamlit==1.67.0 websockets==16.0
echo 'import streamlit as st; st.write("Hello")' >"$folder/app.py"
port=$("$python" -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")
(cd "$folder" && exec "$python" -m streamlit run app.py --server.port "$port" --server.headless true \
  --browser.gatherUsageStats false) >"$folder/log" 2>&1 &
server=$!
until "$python" -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/_stcore/health')" 2>/dev/null; do sleep 1; done
"$python" - "$port" "$server" <<'END'
import os
import sys
import time

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

port, server = sys.argv[1:]
request = BackMsg()
request.rerun_script.widget_states.SetInParent()


def visit():
    with connect(f"ws://127.0.0.1:{port}/_stcore/stream", subprotocols=["streamlit"]) as connection:
        connection.send(request.SerializeToString())
        while ForwardMsg.FromString(connection.recv()).WhichOneof("type") != "script_finished":
            pass


def descriptors():
    return len(os.listdir(f"/proc/{server}/fd"))


visit()
before = descriptors()
for _ in range(150):
    visit()
after = descriptors() - before
time.sleep(180)
later = descriptors() - before
visit()
time.sleep(5)
print(f"{after} more after 150 visits, {later} three minutes later, {descriptors() - before} after another visit")
assert later > 200 and descriptors() - before < 20
END
