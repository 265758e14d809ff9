# Words of the page in the browser.

language = Language
skip = Skip to the page
program = Program
run = Run
run-hint = Ctrl+Enter runs the program
starting = Starting PyTorch. The picture comes in a few seconds.
starting-elsewhere = Waiting for a machine that runs programs. The picture comes when one is there.

status-ran = ran, up to date
status-starting = starting
status-running = running
status-running-for = running for { $seconds } s (limit: { $most } s of processor time)
settings = Settings
settings-limits = Limits of a program
settings-memory_mb = Memory beside PyTorch, MB
settings-seconds = Computing time, s
settings-output_kb = Printed text, KB
settings-default = Back to the defaults
settings-hint = They hold until this page is closed. For longer: EXPLORER_MEMORY_LIMIT, EXPLORER_TIME_LIMIT and EXPLORER_OUTPUT_LIMIT when the app is started.
settings-hosted = The host of this server sets them.
reach-title = What programs may reach
reach-pages = on the pages
reach-commands = run, draw, why, report, compare
reach-run = Each program may read the folder that it lies in (--no-folder: it may not).
reach-none = One folder alone cannot be opened here: that takes Linux with Landlock and libseccomp.
reach-folder = Folder that your programs may read
reach-write-label = They may write in it
reach-network-label = They may reach other machines, for downloads
reach-beside = The program looked for a file beside { $folder }, the folder that it may read.
reach-repository = Open { $folder }
reach-read = This program may read { $folder }; what it writes is gone with the run.
reach-write = This program may read { $folder } and write in it.
reach-nothing = This program may read no file of this machine.
reach-network = It may reach other machines.
reach-alone = It has no network.
reach-everything = Nothing keeps them from the files and the network of this machine.
reach-said = { $files } { $network }
reach-hint = That holds for programs that you type or open, which run while you type, until this page is closed. A program that came with a link reaches none of it.
reach-foreign = This program came from elsewhere: it reaches nothing of this machine.
reach-own = Run it as my own
host-title = This site
host-refused = This app does not answer to the name “{ $host }”. On this machine, open it as localhost. If it is the name of your site, set STREAMLIT_BROWSER_SERVER_ADDRESS to it and start the app again: docs/hosting.md.
host-operator = It is run by { $name }.
host-privacy = There is no login and no tracker, no cookie but the one with which Streamlit tells your requests from forged ones, and nothing is asked of any other site. Your programs run on this server and are discarded with your files; how a run ended and how long it took is noted, never what it was.
host-links = A link carries the program after its # sign, a part that browsers never send to a server. Drafts stay in your browser.
host-report = Report a problem
more-time = The time limit of { $bound } s stopped the program. Let it go on to:
more-time-60 = 60 s
more-time-600 = 10 min
confined = { $level ->
    [full] Your program cannot reach your files or the network.
   *[other] Confinement of programs: { $words }
}
status-waiting = busy, you are number { $place }
status-stopped = stopped at line { $line }
status-failed = stopped

page-graph = Graph
page-graph-of = Graph of
page-undrawn = This could not be drawn. The fault is ours, not your program’s: the program itself has run.
page-takes-too-long = Drawing this takes too long: it was ended after { $seconds } s of the server’s processor. The program itself has run.
page-graph-empty = Nothing to draw. Make a tensor with requires_grad=True and compute something from it.
page-graph-stopped = Nothing to draw: the program stopped before its first operation on a tensor.
stale = Last good picture.
stale-of = It shows the version before this one, with { $code }.
partial = The graph up to the error.
stale-line = The program stopped at line { $line }.
stale-no-line = The program stopped.
bigger = Zoom in
smaller = Zoom out
fit = Show the whole graph; again: as it opened

problems = Problems
problem-stopped = The program stopped.
problem-stopped-at = The program stopped at line { $line }.
problem-not-python = This is not Python.
problem-in-field = In { $field }
problem-in-field-column = In { $field }, column { $column }
problem-in-field-line = In { $field }, line { $line }
problem-in-field-line-column = In { $field }, line { $line }, column { $column }
problem-in-field-words = { $where }: { $words }
problem-not-python-at = Line { $line } is not Python.
output = Output
no-output = No output. End a cell with an expression, or print.

between-clauses = {"; "}
nav-autograd = Program
nav-place-program = Program
nav-place-training = Training
nav-place-data = Data
nav-place-learn = Learn
nav-training = Training
nav-tensors = Tensors
nav-operations = Operations
nav-broadcasting = Broadcasting
nav-derivatives = Derivatives
welcome-line = See what { $code } does, number by number
welcome-paste = Paste your code
welcome-skip = Skip
welcome-asks = 2 comes through a, 3 through b. What is w.grad?
welcome-right = Yes: 2 + 3 = 5. Both ways count. Now drag a number of the program.
welcome-wrong = 5: both ways count, 2 + 3. Now drag a number of the program.
welcome-pasting = Now press { $key }

compare-with = Compare with…
share-link = Share
share-copied = Link copied. It contains the program; nothing is uploaded.
share-large = Too large for a link: save it as a file.
share-by-hand = The address of this page is the link: copy it.
share-hidden = Copy a link with answers hidden
share-hidden-copied = Link copied. Gradients are hidden. Press H to show them.
share-view = Show
share-graph = graph
share-both = program and graph
share-code = program
share-embed = Copy code to embed it
share-embed-copied = Code for your page copied.
share-embed-closed = Code copied. This server lets no other site show it in a frame until its host names the site in EXPLORER_FRAME_ANCESTORS.
share-picture = Copy the picture (SVG) with this link
share-picture-copied = Picture copied as HTML. It needs no server; pressed, it opens the link.
share-files = Picture and page as files: menu File.
share-present = Present (P)
embed-full = Open in full
present-leave = End (P)
open-as-program = Open as a program
open-as-program-hint = Put the program behind this picture into the editor

stop = Stop
unusable-stopped = You stopped the program. Run starts it again.
unusable-crowded = Nothing was run: too many programs from your address already wait for their turn. Try again when some of them are done.
unusable-not-opened = Nothing was run: no folder and no network can be opened to programs here.
root-menu = Take the gradient of something else
root-own = the program's own backward()
root-of = Gradient of
root-start = Starting gradient v
root-one = One number; without one, 1.
root-many = One number for all entries, or one for each, row by row; without any, ones. Shape:
root-show = Show
root-own-again = Back to the program's own
root-shown = Shown: the gradient of { $of }, in place of the program's own backward calls.
root-shown-from = Shown: the gradient of { $of } from v = { $start }, in place of the program's own backward calls.
root-no-numbers = The starting gradient v must be numbers, found: { $text }
root-does-not-fit = The starting gradient v has { COUNTED($asked, "number", "numbers") }, { $of } has { COUNTED($entries, "entry", "entries") }. Give one number, or { $entries }.
root-implicit-not-made = The gradient of { $of } was not taken: the graph holds code of the program (a hook or an own Function), which would run twice.
root-implicit-failed = There is no gradient of { $of }: its graph was freed or changed before the end of the program.

examples = Examples
example-two-paths = Two paths into one leaf
example-chain-rule = The chain rule, step by step
example-vector = A vector and its starting gradient v
example-accumulate = .grad accumulates
example-detach = detach cuts the graph
example-control-flow = Loops and branches
example-training = A training loop, folded
example-second-derivative = A derivative of a derivative
example-broadcast-trap = A loss that broadcasts by mistake
example-where-nan = NaN out of where
example-overflow = Overflow, then NaN
example-silently-wrong = A write that torch does not see
example-backward-twice = backward twice over one graph
example-classifier = A small classifier
example-attention = Attention
save-program = Program
save-picture = Picture
save-trace = Everything that was recorded
save-png = Save the picture as PNG
output-held = The output is hidden, as it may contain gradients. It returns when all steps of Predict are done, or Predict is off.
save-held = While you predict, pictures hold the gradients you reached, programs are saved without their output, and what was recorded is not offered.
try-next = { $plays ->
    [yes] Next: drag a number in the code, click a card to see its numbers, or press Play.
   *[no] Next: drag a number in the code, or click a card to see its numbers.
}
draft-kept = Your last program is kept in this browser.
draft-open = Open it
draft-drop = Forget it
saved-run = Saved run. Edit it to run it again.
