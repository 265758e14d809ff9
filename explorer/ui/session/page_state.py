"""The state of a page: what its address can say of it, kept for the session, shown by its fields, told the link."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.ui.session.links import PROPERTIES, from_address, read_link, show

PAGES_STATE = "_pages"  # session state: by page the value of every property
SHOWN = "_fields_shown"  # session state: keys of fields


class PageState:
    """A value for every property of a page's address (`links.PROPERTIES`), from one drawing to the next.

    A field of the page that shows a property holds its value while it is drawn; Streamlit forgets it afterwards, so
    it is kept here, and given to the field when that is drawn again.

    Args:
        page: its name in the address.
        fields: keys of the fields, by the property that each shows.
    """

    def __init__(self, page: str, fields: Mapping[str, str] | None = None) -> None:
        self.page, self.fields, self.table = page, fields or {}, PROPERTIES[page]

    def __getitem__(self, name: str) -> Any:
        """The value now: what the field says, also before it is drawn."""
        key = self.fields.get(name)
        if key is None or key not in st.session_state:
            return self.kept[name]
        said = st.session_state[key]
        return self.table[name].default if said is None else said  # None: no choice is pressed

    def __setitem__(self, name: str, value: Any) -> None:
        self.put(**{name: value})

    @property
    def kept(self) -> dict[str, Any]:
        """The values of the fields when they were last drawn."""
        pages = st.session_state.setdefault(PAGES_STATE, {})
        if self.page not in pages:
            pages[self.page] = {name: field.default for name, field in self.table.items()}
        return pages[self.page]

    def put(self, **values: Any) -> None:
        """Set properties; their fields show them when they are drawn next.

        A field that shows the value already is left alone: told to show it, it would undo what is pressed meanwhile.
        """
        self.kept.update(values)
        for name in values.keys() & self.fields.keys():
            key = self.fields[name]
            if key in st.session_state and st.session_state[key] != values[name]:
                del st.session_state[key]

    def renew(self, name: str) -> None:
        """Have another kind of field, under the same key, begin with what the field of a property says."""
        self.kept[name] = self[name]
        st.session_state.pop(self.fields[name], None)

    def field(self, name: str, again: bool = False) -> str:
        """The key of the field that shows a property, which is drawn next.

        Args:
            again: whether its words belong to a program: the browser keeps those of the program before unless it is
                told the value at every drawing.
        """
        key = self.fields[name]
        if key in st.session_state:
            self.kept[name] = self[name]
            if again or key not in self._shown:  # the browser may not have got it: what is sent next takes its place
                st.session_state[key] = st.session_state[key]
        else:
            self._shown.discard(key)
            nothing = self.table[name].kind == "choice" and self.kept[name] not in self.table[name].choices
            st.session_state[key] = None if nothing else self.kept[name]
        return key

    @property
    def _shown(self) -> set[str]:
        """The keys of the fields that stood in a drawing which came to its end."""
        return st.session_state.setdefault(SHOWN, set())

    def keep_fields(self) -> None:
        """Keep what the fields say: a drawing that ends before it comes to a field would lose it."""
        for name, key in self.fields.items():
            if key in st.session_state:
                self.kept[name] = self[name]

    def read_address(self) -> bool:
        """Take in what an address says; whether one came, or the page was entered again.

        Only an address brings a program; a page entered again shows the session's own.
        """
        came = read_link(self.page)
        if came is None:
            return False
        values = dict(came or self.kept)
        self.put(**values if from_address() or "program" not in values else values | {"program": ""})
        return True

    def write_address(self, lang: str, **instead: Any) -> None:
        """Put the state into the address, once in each drawing of the page.

        Args:
            instead: what the address says of some properties in place of what is kept of them.
        """
        self._shown.update(key for key in self.fields.values() if key in st.session_state)
        values = {name: self[name] for name in self.table}
        self.kept.update(values)
        show(self.page, values | instead, lang)
