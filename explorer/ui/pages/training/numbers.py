"""A slider for each named number of the program, such as lr or width: moving one runs the program again."""

import streamlit as st

from explorer.analysis.training.named_numbers import NamedNumber, named_numbers
from explorer.ui.session.document import with_text
from explorer.ui.session.state import change, document

KEPT = "_training_numbers"  # session state: by name the numbers that its slider has


def numbers() -> None:
    """Draw them, where the program names numbers."""
    found = named_numbers(document().texts)
    if not found:
        return
    kept: dict[str, tuple[str, ...]] = st.session_state.setdefault(KEPT, {})
    with st.container(key="tr_numbers", horizontal=True, gap="small"):
        for number in found:
            if number.text not in kept.get(number.name, ()):
                kept[number.name] = number.choices()
            key = f"tr_number_{number.name}"
            if st.session_state.get(key) != number.text:
                st.session_state[key] = number.text
            st.select_slider(
                number.name,
                kept[number.name],
                key=key,
                on_change=_put,
                args=(number, key),
                width=150,
            )


def _put(number: NamedNumber, key: str) -> None:
    """Write the chosen number into the program."""
    texts, chosen = document().texts, st.session_state[key]
    if number.cell < len(texts) and number in named_numbers(texts):
        source = texts[number.cell]
        change(with_text(document(), number.cell, source, number.replaced(source, chosen)))
