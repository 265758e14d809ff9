"""mypy plugin that checks the field names passed to `msgspec.structs.replace`.

Their types stay unchecked: in rooms without `strict_optional` a field loses its None.
"""

from collections.abc import Callable

from mypy.plugin import FunctionSigContext, Plugin
from mypy.plugins.dataclasses import replace_function_sig_callback
from mypy.types import AnyType, FunctionLike, TypeOfAny


def _fields(call: FunctionSigContext) -> FunctionLike:
    """Return the signature of one call: its record, and the record's fields by name."""
    signature = replace_function_sig_callback(call)
    record, *fields = signature.arg_types
    return signature.copy_modified(arg_types=[record, *(AnyType(TypeOfAny.explicit) for _ in fields)])


class Structs(Plugin):
    """Checks the calls of one function."""

    def get_function_signature_hook(self, fullname: str) -> Callable[[FunctionSigContext], FunctionLike] | None:
        """Return the signature hook of a function, or None."""
        return _fields if fullname == "msgspec.structs.replace" else None


def plugin(version: str) -> type[Plugin]:
    """Return the plugin class for mypy."""
    return Structs
