# Words of the page in the browser.

language = Language
skip = Skip to the page
program = Program
run = Run
run-hint = Ctrl+Enter runs the program
starting = Starting PyTorch. The graph appears here after the first run.
starting-elsewhere = Waiting for a machine that runs programs. The graph appears here when one is available.

status-ran = ran, up to date
status-starting = starting
status-running = running
status-running-for = running for { $seconds } s (limit: { $most } s of processor time)
settings = Settings
settings-limits = Program limits
settings-memory_mb = Memory in addition to PyTorch, MB
settings-seconds = Computing time, s
settings-output_kb = Printed text, KB
settings-default = Back to the defaults
settings-hint = These apply until you close this page. To change them for good, set EXPLORER_MEMORY_LIMIT, EXPLORER_TIME_LIMIT and EXPLORER_OUTPUT_LIMIT when you start the app.
settings-hosted = The host of this server sets these limits.
reach-title = What programs can access
reach-pages = on the pages
reach-commands = run, draw, why, report, compare
reach-run = A program may read the folder that contains it, unless you pass --no-folder.
reach-none = This system can't open a single folder: that needs Linux with Landlock and libseccomp.
reach-folder = Folder that your programs may read
reach-write-label = They may write to it
reach-network-label = They may connect to other machines, for downloads
reach-beside = The program looked for a file next to { $folder }, the folder that it may read.
reach-repository = Open { $folder }
reach-read = This program may read { $folder }. Files that it writes are discarded after the run.
reach-write = This program may read and write { $folder }.
reach-nothing = This program can't read files on this machine.
reach-network = It may connect to other machines.
reach-alone = It has no network access.
reach-everything = Programs can access all files and the network of this machine.
reach-said = { $files } { $network }
reach-hint = This applies until you close this page, to programs that you type or open. They run while you type. Programs opened from a link get no access.
reach-foreign = This program came from elsewhere and gets no access to this machine.
reach-own = Run it as my own
host-title = This site
host-refused = This app doesn't answer to the name “{ $host }”. On this machine, open it as localhost. If that is your site's name, set STREAMLIT_BROWSER_SERVER_ADDRESS to it and restart the app: docs/hosting.md.
host-operator = Operated by { $name }.
host-privacy = No login, no tracker and no requests to other sites. The only cookie is Streamlit's, which protects you from forged requests. Your programs run on this server and are discarded with your files. The log says how a run ended and how long it took, never what it was.
host-links = A link carries the program after its # sign, a part that browsers never send to a server. Drafts stay in your browser.
host-report = Report a problem
more-time = The program was stopped at the time limit of { $bound } s. Raise it to:
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
page-undrawn = This could not be drawn. That is a bug in this app, not in your program, which has run.
page-takes-too-long = Drawing took too long and was stopped after { $seconds } s of server time. The program itself has run.
page-graph-empty = Nothing to draw. Create a tensor with requires_grad=True and compute something from it.
page-graph-stopped = Nothing to draw: the program stopped before its first tensor operation.
stale = Last successful graph.
stale-of = It shows the previous version, with { $code }.
partial = The graph up to the error.
stale-line = The program stopped at line { $line }.
stale-no-line = The program stopped.
bigger = Zoom in
smaller = Zoom out
fit = Show the whole graph; press again to go back

problems = Problems
problem-stopped = The program stopped.
problem-stopped-at = The program stopped at line { $line }.
problem-not-python = Invalid Python syntax.
problem-in-field = In { $field }
problem-in-field-column = In { $field }, column { $column }
problem-in-field-line = In { $field }, line { $line }
problem-in-field-line-column = In { $field }, line { $line }, column { $column }
problem-in-field-words = { $where }: { $words }
problem-not-python-at = Invalid Python syntax on line { $line }.
output = Output
no-output = No output. End a cell with an expression, or call print.

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
welcome-line = See what { $code } does, one number at a time
welcome-paste = Paste your code
welcome-skip = Skip
welcome-asks = a sends 2 and b sends 3. What is w.grad?
welcome-right = Correct: 2 + 3 = 5. Both paths count. Now drag a number in the program.
welcome-wrong = Not { $guess }: both paths count, so it is 2 + 3 = 5. Now drag a number in the program.
welcome-pasting = Now press { $key }

compare-with = Compare with…
share-link = Share
share-copied = Link copied. It contains the program; nothing is uploaded.
share-large = Too large for a link: save it as a file.
share-by-hand = Copy the link from the address bar.
share-hidden = Copy a link with answers hidden
share-hidden-copied = Link copied. Gradients are hidden. Press H to show them.
share-view = Show
share-graph = graph
share-both = program and graph
share-code = program
share-embed = Copy code to embed it
share-embed-copied = Embed code copied.
share-embed-closed = Embed code copied, but this server doesn't allow other sites to embed it. Its host has to list the site in EXPLORER_FRAME_ANCESTORS.
share-picture = Copy the picture (SVG) with this link
share-picture-copied = Picture copied as HTML. It works offline; click it to open the link.
share-files = To save the picture or the page as a file, use the File menu.
share-present = Present (P)
embed-full = Open full page
present-leave = End (P)
open-as-program = Open as a program
open-as-program-hint = Open the program behind this picture in the editor

stop = Stop
unusable-stopped = You stopped the program. Press Run to start it again.
unusable-crowded = Nothing was run: too many programs from your address are already waiting. Try again when some have finished.
unusable-not-opened = Nothing was run: this server can't open folders or the network to programs.
root-menu = Take the gradient of something else
root-own = the program's own backward()
root-of = Gradient of
root-start = Starting gradient v
root-one = One number (default: 1).
root-many = One number for all entries, or one per entry, row by row (default: all 1). Shape:
root-show = Show
root-own-again = Back to the program's own
root-shown = Showing the gradient of { $of } instead of the program's own backward calls.
root-shown-from = Showing the gradient of { $of } from v = { $start } instead of the program's own backward calls.
root-no-numbers = The starting gradient v must consist of numbers, but found: { $text }
root-does-not-fit = The starting gradient v has { COUNTED($asked, "number", "numbers") }, but { $of } has { COUNTED($entries, "entry", "entries") }. Enter one number, or { $entries }.
root-implicit-not-made = The gradient of { $of } was not computed: the graph contains code of the program (a hook or a custom Function), which would run twice.
root-implicit-failed = The gradient of { $of } is not available: its graph was freed or changed before the program ended.

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
example-where-nan = NaN from where
example-overflow = Overflow, then NaN
example-silently-wrong = A write that torch does not notice
example-backward-twice = backward twice on one graph
example-classifier = A small classifier
example-attention = Attention
save-program = Program
save-picture = Picture
save-trace = The whole recording
save-png = Save the picture as PNG
output-held = Output is hidden because it may contain gradients. It returns when you finish Predict or turn it off.
save-held = While you predict, pictures show only the gradients you have reached, programs are saved without output, and the recording can't be saved.
try-next = { $plays ->
    [yes] Next: drag a number in the code, click a card to see its numbers, or press Play.
   *[no] Next: drag a number in the code, or click a card to see its numbers.
}
draft-kept = Your last program is kept in this browser.
draft-open = Open it
draft-drop = Discard it
saved-run = Saved run. Edit it to run it again.
