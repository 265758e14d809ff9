"""Keep a page's state for its fields and link."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.addresses import PROPERTIES
from explorer.ui.session.links import from_address, read_link, show

_pages = SessionValue[dict[str, dict[str, Any]]]("_pages", dict)  # page → value of every property
_fields_shown = SessionValue[set[str]]("_fields_shown", set)  # keys of fields in a completed drawing


class PageState:
    """Values of a page's address properties (`addresses.PROPERTIES`), kept between drawings.

    A field holds its property's value while drawn. Streamlit forgets it afterwards, so it is kept here and restored
    when the field is drawn again.

    Args:
        page: name in the address.
        fields: field keys by property.
    """

    def __init__(self, page: str, fields: Mapping[str, str] | None = None) -> None:
        self.page, self.fields, self.table = page, fields or {}, PROPERTIES[page]

    def __getitem__(self, name: str) -> Any:
        """Return the current value, from the field even before it is drawn."""
        key = self.fields.get(name)
        if key is None or key not in st.session_state:
            return self.kept[name]
        chosen = st.session_state[key]
        return self.table[name].default if chosen is None else chosen  # None means that no choice is selected

    def __setitem__(self, name: str, value: Any) -> None:
        self.put(**{name: value})

    @property
    def kept(self) -> dict[str, Any]:
        """Field values at the last drawing."""
        pages = _pages.get()
        if self.page not in pages:
            pages[self.page] = {name: field.default for name, field in self.table.items()}
        return pages[self.page]

    def put(self, **values: Any) -> None:
        """Set properties, which fields show at their next drawing.

        A field that already shows the value is left alone, because setting it would undo presses made meanwhile.
        """
        self.kept.update(values)
        for name in values.keys() & self.fields.keys():
            key = self.fields[name]
            if key in st.session_state and st.session_state[key] != values[name]:
                del st.session_state[key]

    def renew(self, name: str) -> None:
        """Let another kind of field under the same key start with the current value."""
        self.kept[name] = self[name]
        st.session_state.pop(self.fields[name], None)

    def field(self, name: str, again: bool = False) -> str:
        """Return the key of a property's field, which is drawn next.

        Args: again: whether its options depend on a program, so that the browser needs the value at every drawing.
        """
        key = self.fields[name]
        if key in st.session_state:
            self.kept[name] = self[name]
            if again or key not in _fields_shown.get():  # the browser may have missed it, so the next value replaces it
                st.session_state[key] = st.session_state[key]
        else:
            _fields_shown.get().discard(key)
            nothing = self.table[name].kind == "choice" and self.kept[name] not in self.table[name].choices
            st.session_state[key] = None if nothing else self.kept[name]
        return key

    def keep_fields(self) -> None:
        """Keep field values, which an interrupted drawing would lose."""
        for name, key in self.fields.items():
            if key in st.session_state:
                self.kept[name] = self[name]

    def read_address(self) -> bool:
        """Load the address's state. Return False if none came.

        Only an address brings a program. An entered page shows the session's own.
        """
        came = read_link(self.page)
        if came is None:
            return False
        values = dict(came or self.kept)
        self.put(**values if from_address() or "program" not in values else values | {"program": ""})
        return True

    def write_address(self, lang: str, **instead: Any) -> None:
        """Write the state into the address, once per drawing.

        Args: instead: values that replace the state's in the address.
        """
        _fields_shown.get().update(key for key in self.fields.values() if key in st.session_state)
        values = {name: self[name] for name in self.table}
        self.kept.update(values)
        show(self.page, values | instead, lang)
