# The editor, its cells, and what stands above and below it.

status-not-run = not run yet
status-typing = typing
status-cells = { $count ->
    [one] cell { $cell } stopped
   *[other] { $count } cells stopped, cell { $cell } first
}
page-not-run = This program is from a file. Read it, then press Run.
place = cell { $cell }, line { $line }
cell = Cell
    .ok = ran
    .error = stopped
    .refused = refused
    .limited = stopped by a limit
    .unrun = not run
run-cell = Run
run-cell-hint = Run all cells up to this one
add-cell = New cell below
fold = Fold this cell
more = Show all
less = Show less
file = File
open = Open a .py, .ipynb, .md or .trace file, up to { $file } MB
upload =
    .choose = Choose
    .drop = or drop it here
    .open = Open…
    .add = Add files…
    .over = Drop to open a program, or to give the program a file
files = Files…
files-hint = Programs can open them by name from any folder: open("names.txt"), pd.read_csv("data/iris.csv"). They are kept only for this session.
files-missing = Drop { $name } here, up to { $file } MB
files-drop = Add files for your programs to read: up to { COUNTED($count, "file", "files") }, { $file } MB each, { $all } MB in total
files-remove = Remove { $name }
files-refused = { $why ->
        [file] { $name } is too large: a file may have at most { $most }. Use a part of it.
        [all] With { $name } the files would take up { $size }, but at most { $most } are allowed.
       *[count] No room for { $name }: the limit is { $most } files.
    }{ $why ->
        [file] {""}
       *[other] { $where ->
            [data] {" "}Remove one first, in the File menu on the Program page.
            [command] {""}
           *[menu] {" "}Remove one first.
        }
    }
undo = Undo
mark-cell = Cell { $cell }:
backwards = Backward calls of the program
panel = Output and problems
no-problems = No problems.
repair = Apply
repair-hint = Make this change in the program and run it
repair-goes-on = With this change the program gets past this error, then stops at line { $line } for another reason
repair-runs = With this change the program runs{ $fact ->
        [none] .
       *[other] : { $fact }
    }
repair-tried = Trying a change …
problem-stopped-cell = Cell { $cell } stopped.
problem-stopped-in = Cell { $cell } stopped at line { $line }.
problem-not-python-in = Invalid Python syntax in cell { $cell }, line { $line }.
seen = View
seen-graph = Graph
seen-values = Values
seen-memory = Memory
seen-influence = Influence
line-empty = The program is empty.
line-variables = Variables
line-first = A graph needs a tensor with requires_grad=True and a result computed from it. For example:
line-add = Add these lines
line-none = { $cell ->
    [0] The program contains no tensor.
   *[other] Cell { $cell } contains no tensor.
}
editor-number = Number on line { $line }. Drag it, or use the arrow keys
editor-leave = Tab indents. To leave the program, press Escape, then Tab.
editor-unknown-call = No information about { $name }.
