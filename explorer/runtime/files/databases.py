"""sqlite3 on a program's own files: a database lives in sqlite's memory and is written to its file at each commit."""

import os
import sqlite3
from collections.abc import Callable
from urllib.parse import quote, unquote, urlsplit

from explorer.runtime.files.tree import Files
from explorer.runtime.replacements import Replacement

_ORDER = ("timeout", "detect_types", "isolation_level", "check_same_thread", "factory", "cached_statements", "uri")


def connect(files: Files) -> list[Replacement]:
    """The replacement for `sqlite3.connect`."""
    real = sqlite3.connect

    def connect(database, *arguments, **options):
        options |= zip(_ORDER, arguments, strict=False)
        name = os.fsdecode(database)
        if options.get("uri") and name.startswith("file:"):
            address = urlsplit(name)
            name = ":memory:" if "memory" in address.query else unquote(address.path)
        if name in ("", ":memory:"):
            return real(database, **options)
        path = files.path(name)
        if not files.is_folder(os.path.dirname(path)) or files.is_folder(path):
            raise sqlite3.OperationalError("unable to open database file")
        options |= {"uri": True, "factory": _kept(files, path, options.get("factory", sqlite3.Connection))}
        made = real(f"file:/{id(files)}{quote(path)}?vfs=memdb", **options)  # connections to one path share it
        try:
            _load(real, files, files.meant(path), made)
        except BaseException:
            sqlite3.Connection.close(made)
            raise
        return made

    return [(sqlite3, "connect", connect), (sqlite3.dbapi2, "connect", connect)]


def _load(real: Callable, files: Files, path: str, into: sqlite3.Connection) -> None:
    """Fill a database without open connections from its file."""
    content = files.content(path) if files.is_file(path) else b""
    if not content or into.execute("PRAGMA page_count").fetchone()[0]:
        return
    source = real(":memory:")
    try:
        source.deserialize(content)
        source.backup(into)
    finally:
        source.close()


def _kept(files: Files, path: str, base: type) -> type:
    """A connection that writes its database to its file."""

    class Connection(base):  # type: ignore[misc,valid-type]
        def _keep(self) -> None:
            with files.open(path, "wb") as file:
                file.write(self.serialize())

        def commit(self) -> None:
            super().commit()
            self._keep()

        def executescript(self, script):
            made = super().executescript(script)
            self._keep()
            return made

        def __exit__(self, *raised):
            passes = super().__exit__(*raised)
            self._keep()
            return passes

        def close(self) -> None:
            if self.in_transaction:
                self.rollback()
            self._keep()
            super().close()

    return Connection
