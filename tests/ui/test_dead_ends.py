"""Programs without anything to draw: what the page shows instead, and how to continue."""

from tests.ui.pages import new_page, put_program, told, words


def graphs(app):
    return [one["svg"] for one in told(app, "graph")]


def test_an_empty_program_begins_with_lines_that_have_a_graph():
    app = put_program(new_page().run(), "")
    assert not graphs(app)
    app.button(key="add_first_lines").click().run()
    assert ">.grad<" in graphs(app)[0]


def test_a_program_without_tensors_shows_its_variables():
    app = put_program(new_page().run(), "a = 3\nx = [a, 2]\ndef f():\n    pass\n")
    assert "a 3" in " ".join(words(app).split()) and "x [3, 2]" in " ".join(words(app).split())
    app.button(key="add_first_lines").click().run()
    assert "x = [a, 2]" in app.session_state["_document"].texts[0] and graphs(app)


def test_a_missing_file_can_be_dropped_into_its_error():
    app = new_page().run()
    assert graphs(app)
    put_program(app, "rows = open('data/rows.txt').read()\n")
    assert not graphs(app)
    (place,) = [one for one in app.get("file_uploader") if "rows" in one.proto.label]
    assert not place.proto.multiple_files


def test_a_half_typed_line_keeps_the_picture_of_its_program():
    app = new_page().run()
    text = app.session_state["_document"].texts[0]
    put_program(app, f"{text}z = (\n")
    assert graphs(app)
