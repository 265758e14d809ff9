"""plotly's script for the browser, compressed once, from the installed package."""

import gzip
import pkgutil
from hashlib import sha256

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from explorer.once import once

PATH = "/plotly.min.js"
DAY = 86_400  # seconds that a browser may cache it


@once
def _packed() -> tuple[bytes, str]:
    """Return the compressed script and its digest."""
    script = pkgutil.get_data("plotly", "package_data/plotly.min.js") or b""
    return gzip.compress(script, 6), sha256(script).hexdigest()[:16]


async def plotly_script(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the script, 304 if the browser has it."""
    packed, digest = await run_in_threadpool(_packed)
    asked = Request(scope).headers
    headers = {"cache-control": f"public, max-age={DAY}", "etag": f'"{digest}"', "vary": "accept-encoding"}
    if digest in asked.get("if-none-match", ""):
        return await Response(status_code=304, headers=headers)(scope, receive, send)
    if "gzip" in asked.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
    else:
        packed = await run_in_threadpool(gzip.decompress, packed)
    await Response(packed, headers=headers, media_type="text/javascript")(scope, receive, send)
