"""Cluster settings from the environment: scheduler address and certificates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from explorer.extras import need
from explorer.safe_regex import linear
from explorer.text import SayableError

if TYPE_CHECKING:
    from distributed import Security

ADDRESS = "EXPLORER_SCHEDULER"  # variable with the scheduler's address; without it there is no cluster
FILES = {"authority": f"{ADDRESS}_CA", "certificate": f"{ADDRESS}_CERT", "key": f"{ADDRESS}_KEY"}
LOCAL = ("127.0.0.1", "[::1]", "localhost")  # hosts that need no certificates, because nothing leaves the machine

_ADDRESS = linear(r"(tls|tcp)://([A-Za-z0-9.-]{1,200}|\[[0-9a-fA-F:]{2,39}\]):([0-9]{1,5})")


class BadScheduler(SayableError, ValueError):
    """Raised, before anything is sent, if the settings for the cluster are invalid.

    Its kind is address, plain, certificates, or unread.
    """

    prefix = "scheduler-"


class ClusterSettings(Struct, frozen=True):
    """Connection settings of the cluster.

    Attributes:
        scheme: tls, or tcp on this machine.
        host, port: the scheduler's address.
        authority, certificate, key: paths of PEM files, "" with tcp. Any peer with a certificate of that
            authority belongs to the cluster.
    """

    scheme: str
    host: str
    port: int
    authority: str = ""
    certificate: str = ""
    key: str = ""

    @property
    def address(self) -> str:
        """Address in dask's form."""
        return f"{self.scheme}://{self.host}:{self.port}"

    def security(self) -> Security:
        """Return dask's encryption and certificates. Raises BadScheduler for an unusable file."""
        from distributed import Security

        if self.scheme == "tcp":
            return Security(require_encryption=False)
        roles = ("client", "scheduler", "worker")
        given = {f"tls_{role}_{part}": path for role in roles for part, path in self._pair().items()}
        security = Security(require_encryption=True, tls_ca_file=self.authority, **given)
        try:
            security.get_connection_args("client")
        except OSError as problem:  # also raised by ssl for a file that is not a certificate
            raise BadScheduler("unread", reason=problem.strerror or str(problem)) from None
        return security

    def _pair(self) -> dict[str, str]:
        return {"cert": self.certificate, "key": self.key}


def cluster_settings(environment: Mapping[str, str] = os.environ) -> ClusterSettings | None:
    """Read cluster settings, None without a scheduler. Raises BadScheduler or MissingExtra."""
    given = environment.get(ADDRESS, "").strip()
    if not given:
        return None
    match = _ADDRESS.fullmatch(given)
    if match is None or not 1 <= int(match.group(3)) <= 65_535:
        raise BadScheduler("address", given=given[:100])
    scheme, host, port = match.group(1), match.group(2), int(match.group(3))
    need("cluster")
    if scheme == "tcp":
        if host not in LOCAL:
            raise BadScheduler("plain", given=given)
        return ClusterSettings(scheme, host, port)
    paths = {field: environment.get(name, "").strip() for field, name in FILES.items()}
    if missing := [FILES[field] for field, path in paths.items() if not path]:
        raise BadScheduler("certificates", given=given, missing=", ".join(missing))
    for field, path in paths.items():
        _readable(FILES[field], path)
    settings = ClusterSettings(scheme, host, port, **paths)
    settings.security()
    return settings


def elsewhere(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether programs run on other machines, whose confinement is unknown here."""
    return bool(environment.get(ADDRESS, "").strip())


def _readable(name: str, path: str) -> None:
    try:
        with open(path, "rb"):
            pass
    except OSError as problem:
        raise BadScheduler("unread", reason=f"{name}: {path}: {problem.strerror}") from None
