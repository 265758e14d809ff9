"""The proxy of deploy/ as a host runs it: nginx with our files, local ports and a test certificate."""

import contextlib
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.patience import PATIENT, eventually

DEPLOY = Path(__file__).parents[2] / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
OPENSSL = shutil.which("openssl")
MISSING = "nginx and openssl are needed: apt-get install nginx-light openssl"

_MAIN = """
{user}
daemon off;
worker_processes 1;
error_log {folder}/error.log;
pid {folder}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include conf.d/*.conf;
}}
"""


class Proxy:
    """A running nginx.

    Attributes:
        folder: with its files, which a test may change before `reload`.
        port, address: where it answers.
        plain: port without TLS.
        tls: context that trusts its certificate.
    """

    def __init__(self, folder: Path, port: int, plain: int):
        self.folder, self.port, self.address = folder, port, f"https://localhost:{port}"
        self.plain = plain
        self.tls = ssl.create_default_context(cafile=folder / "fullchain.pem")

    def instances(self, *lines: str) -> None:
        """Set the instances for new visits, each as a port with nginx's parameters."""
        said = "".join(f"server 127.0.0.1:{line};\n" for line in lines)
        (self.folder / "explorer/instances.conf").write_text(said)

    def reload(self) -> None:
        """Has it read its files again, as `systemctl reload nginx` does."""
        nginx(self.folder, "-s", "reload")


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


def nginx(folder: Path, *words: str) -> subprocess.CompletedProcess:
    """Runs nginx over the files of a folder and waits for its end."""
    return subprocess.run([NGINX, "-p", folder, "-c", "nginx.conf", "-e", folder / "error.log", *words], check=True)


@contextlib.contextmanager
def proxy(folder: Path, *ports: int, **changed: str) -> Iterator[Proxy]:
    """Run the proxy in front of instances on this machine.

    Args:
        folder: an empty folder for its files.
        ports: ports of the instances.
        changed: other `limit_conn` numbers, by zone.
    """
    shutil.copytree(DEPLOY / "nginx/explorer", folder / "explorer")
    port, plain = free_port(), free_port()
    (folder / "conf.d").mkdir()
    text = (DEPLOY / "nginx/explorer.conf").read_text(encoding="utf-8")
    text = text.replace("error.log crit", "error.log info")  # helps to find out why a test failed
    text = text.replace("/var/log/nginx", str(folder)).replace("/etc/nginx", str(folder))
    for zone, number in changed.items():
        text = re.sub(rf"limit_conn {zone} \d+", f"limit_conn {zone} {number}", text)
    (folder / "conf.d/explorer.conf").write_text(text)
    elsewhere = _at((DEPLOY / "nginx/elsewhere.conf").read_text(encoding="utf-8"), {443: port, 80: plain})
    (folder / "conf.d/elsewhere.conf").write_text(elsewhere)
    site = _at((folder / "explorer/site.conf").read_text(encoding="utf-8"), {443: port})
    (folder / "explorer/site.conf").write_text(site.replace("/etc/ssl/explorer", str(folder)))
    name = (folder / "explorer/name.conf").read_text(encoding="utf-8")
    (folder / "explorer/name.conf").write_text(name.replace("explorer.example", "localhost"))
    key, certificate = folder / "privkey.pem", folder / "fullchain.pem"
    made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost".split()
    named = ["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate]
    subprocess.run([OPENSSL, *made, *named], check=True, capture_output=True)
    running = Proxy(folder, port, plain)
    running.instances(*map(str, ports))
    shutil.copy(folder / "explorer/instances.conf", folder / "explorer/all_instances.conf")
    (folder / "nginx.conf").write_text(_MAIN.format(folder=folder, user="user root;" if os.geteuid() == 0 else ""))
    nginx(folder, "-t", "-q")
    process = subprocess.Popen([NGINX, "-p", folder, "-c", "nginx.conf", "-e", folder / "error.log"])
    try:
        _answers(running.port)
        yield running
    finally:
        process.terminate()
        process.wait(PATIENT)


def _at(text: str, ports: dict[int, int]) -> str:
    """Replace the ports in a file of nginx, and use only IPv4."""
    text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.M)
    return re.sub(r"\blisten (\d+)", lambda found: f"listen {ports[int(found[1])]}", text)


def _answers(port: int) -> None:
    def connects() -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("localhost", port)):
            return True
        return False

    assert eventually(connects)
