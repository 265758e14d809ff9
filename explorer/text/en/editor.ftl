# The editor, its cells, and what stands above and below it.

status-not-run = not run yet
status-typing = typing
status-cells = { $count ->
    [one] cell { $cell } stopped
   *[other] { $count } cells stopped, the first is cell { $cell }
}
page-not-run = This program came from a file. Read it, then press Run.
place = cell { $cell }, line { $line }
cell = Cell
cell-ok = ran
cell-error = stopped
cell-refused = refused
cell-limited = stopped by a limit
cell-unrun = not run
run-cell = Run
run-cell-hint = Runs cells 1 to this one afresh
add-cell = New cell below
fold = Fold this cell
more = Show all
less = Show less
file = File
open = Open a .py, .ipynb, .md or .trace file, up to { $file } MB
upload-choose = Choose
upload-drop = or drop it here
files = Files
files-hint = Programs open them by name, in whatever folder they look for them: open("names.txt"), pd.read_csv("data/iris.csv"). They stay in this session.
files-drop = Drop files for your programs to read: up to { COUNTED($count, "file", "files") }, { $file } MB each, { $all } MB in total
files-remove = Remove { $name }
files-file = { $name } has { $size }; a file may have { $most }. Take a part of it.
files-all = With { $name } the files would have { $size }; together they may have { $most }. Remove another file first.
files-count = No room for { $name }: the limit is { COUNTED($most, "file", "files") }. Remove one first.
undo = Undo
mark-cell = Cell { $cell }:
backwards = Backward calls of the program
panel = Output and problems
no-problems = No problems.
repair = Apply
repair-hint = Put this change into the program and run it
repair-goes-on = With this change the program gets past this error, then stops at line { $line } for another reason
repair-runs = With this change it runs.
repair-shows = With this change it runs: { $fact }
repair-tried = Running the program with a change …
problem-stopped-cell = Cell { $cell } stopped.
problem-stopped-in = Cell { $cell } stopped at line { $line }.
problem-not-python-in = Cell { $cell }, line { $line } is not Python.
seen = View
seen-graph = Graph
seen-values = Values
seen-memory = Memory
line-none = Nothing in cell { $cell } is a tensor.
editor-number = Number in line { $line }. Drag it, or use the arrow keys
editor-leave = Tab indents. To leave the program, press Escape, then Tab.
editor-unknown-call = Nothing is known about { $name }.
