"""Typed values of one session: each is declared once, with its key in Streamlit's session state and its type."""

from collections.abc import Callable
from typing import Generic, TypeVar

import streamlit as st

T = TypeVar("T")


class SessionValue(Generic[T]):
    """A value of the session. Before it is put it is what `make` returns."""

    def __init__(self, key: str, make: Callable[[], T]) -> None:
        self.key = key
        self._make = make

    def get(self) -> T:
        """The value now; changes of a list or a dictionary are kept."""
        try:
            return st.session_state[self.key]
        except KeyError:
            return self.put(self._make())

    def put(self, value: T) -> T:
        """Replace the value, and return the new one."""
        st.session_state[self.key] = value
        return value

    def clear(self) -> None:
        """Forget the value."""
        st.session_state.pop(self.key, None)

    def take(self) -> T:
        """The value, which is forgotten."""
        value = self.get()
        self.clear()
        return value


class Inbox:
    """The messages of a browser's component. Streamlit repeats the last one at every drawing; each is handled once."""

    def __init__(self, key: str) -> None:
        self._handled = SessionValue[object](key, lambda: None)

    @property
    def handled(self) -> object:
        """The count of the message handled last."""
        return self._handled.get()

    def is_new(self, count: object) -> bool:
        """Whether no message with this count was handled last."""
        return count != self.handled

    def accept(self, count: object) -> bool:
        """Handle a message: whether it is new. The same count is refused from now on."""
        new = self.is_new(count)
        self._handled.put(count)
        return new


class LastGood(Generic[T]):
    """The last good result, which a page goes on showing, dimmed, while the present one fails."""

    def __init__(self, key: str) -> None:
        self._value = SessionValue[T | None](key, lambda: None)

    def get(self) -> T | None:
        """The last good result, None before the first."""
        return self._value.get()

    def keep(self, result: T | None) -> T | None:
        """Keep a good result, and return it."""
        return self._value.put(result)

    def forget(self) -> None:
        """Forget it: the page shows something else."""
        self._value.clear()
