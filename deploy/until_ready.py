"""Wait until a local instance can run programs: `until_ready.py PORT SECONDS`. Exits with 1 if it cannot."""

import sys
import time
import urllib.error
import urllib.request


def main(port: str, seconds: str) -> int:
    """Ask twice a second; print the last answer to standard error."""
    end, heard = time.monotonic() + float(seconds), "no answer"
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/ready", timeout=5):
                return 0
        except urllib.error.HTTPError as answer:
            heard = answer.read(100).decode("utf-8", "replace")
            if heard == "unfit":  # it will not become so by waiting
                break
        except OSError:
            pass
        time.sleep(0.5)
    print(f"the instance at port {port} is not ready: {heard}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
