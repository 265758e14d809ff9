"""Typed session values, each declared once with its key in session state."""

from collections.abc import Callable
from typing import Generic, TypeVar

import streamlit as st

T = TypeVar("T")


class SessionValue(Generic[T]):
    """A session value, initially the result of `make`, or None."""

    def __init__(self, key: str, make: Callable[[], T] = lambda: None) -> None:  # type: ignore[assignment,return-value]
        self.key = key
        self._make = make

    def get(self) -> T:
        """Return the value. Changes to a list or dictionary are kept."""
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
        """Return and forget the value."""
        value = self.get()
        self.clear()
        return value


class Inbox:
    """Messages of a browser component, each handled once although Streamlit repeats them."""

    def __init__(self, key: str) -> None:
        self._handled = SessionValue[object](key)

    @property
    def handled(self) -> object:
        """Number of the last handled message."""
        return self._handled.get()

    def is_new(self, count: object) -> bool:
        """Return whether this message was not the last one handled."""
        return count != self.handled

    def accept(self, count: object) -> bool:
        """Mark a message as handled and return whether it was new."""
        new = self.is_new(count)
        self._handled.put(count)
        return new
