# Words of the page in the browser.

language = Language
skip = Skip to the page
program = Program
run = Run
run-hint = Ctrl+Enter runs the program
starting = Starting PyTorch. Results appear here after the first run.
starting-elsewhere = Waiting for a machine that runs programs. Results appear here when one is available.

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
reach = { $files ->
        [read] This program may read { $folder }. Files that it writes are discarded after the run.
        [write] This program may read and write { $folder }.
       *[nothing] This program can't read files on this machine.
    } { $network ->
        [yes] It may connect to other machines.
       *[no] It has no network access.
    }
reach-everything = Programs can access all files and the network of this machine.
reach-hint = This applies until you close this page, to programs that you type or open. They run while you type. Programs opened from a link get no access.
reach-foreign = This program was not written here and gets no access to this machine.
reach-own = Run it as my own
host-title = This site
host-refused = This app doesn't answer to the name “{ $host }”. On this machine, open it as localhost. If that is your site's name, set STREAMLIT_BROWSER_SERVER_ADDRESS to it and restart the app: docs/hosting.md.
host-operator = Operated by { $name }.
host-privacy = No login, no tracker and no requests to other sites. The only cookie is Streamlit's, which protects you from forged requests. Your programs run on this server and are discarded with your files. The log records how a run ended and how long it took, never its text.
host-links = A link carries the program after its # sign, a part that browsers never send to a server. Drafts stay in your browser.
host-report = Report a problem
more-time = The program was stopped at the time limit of { $bound } s. Raise it to:
more-time-60 = 60 s
more-time-600 = 10 min
confined = { $level ->
    [full] Your program cannot reach your files or the network.
   *[other] Confinement of programs: { $words }
}
status-waiting = busy, about { $seconds } s
    .place = busy, number { $place } in line
status-stopped = stopped at line { $line }
status-error = error on line { $line }
status-failed = stopped

page-graph = Graph
page-graph-of = Graph of
page-undrawn = This could not be drawn. That is a bug in this app, not in your program, which has run.
page-takes-too-long = Drawing took too long and was stopped after { $seconds } s of server time. The program itself has run.
page-graph-empty = Nothing to draw. Create a tensor with requires_grad=True and compute something from it.
page-graph-stopped = Nothing to draw: the program did not get far enough.
stale = Last successful picture.
stale-of = It shows the previous version, with { $code }.
partial = { $end ->
    [stop] The graph up to the stop.
   *[error] The graph up to the error.
}
bigger = Zoom in
smaller = Zoom out
fit = Show the whole graph. Press again to go back

problems = Problems
problem-stopped = The program stopped.
problem-stopped-at = The program stopped at line { $line }.
problem-not-python = Invalid Python syntax.
problem-in-field = In { $field }{ $line ->
        [0] {""}
       *[other] , line { $line }
    }{ $column ->
        [0] {""}
       *[other] , column { $column }
    }
labelled = { $name }: { $text }
problem-not-python-at = Invalid Python syntax on line { $line }.
output = Output
no-output = No output. End a cell with an expression, or call print.

between-clauses = {"; "}
nav-autograd = Program
nav-more = ⋯ Language, settings, share
nav-learn = Learn
nav-training = Training
nav-operations = Operations
nav-broadcasting = Broadcasting
nav-derivatives = Derivatives
welcome =
    .line = See what { $code } does, one number at a time
    .skip = Skip
    .asks = a sends 2 and b sends 3. What is w.grad?
    .right = Correct: both paths count. Now drag a number in the program.
    .wrong = Not { $guess }: both paths count, so it is 2 + 3 = 5. Now drag a number in the program.
    .again = Not { $guess }. What arrives at w from a and from b is added. Try again.
    .one = { $guess } comes by one path. What do both bring together?
    .product = That is 2 · 3. What arrives at w is added.
    .formula = { $guess } is not a number yet. Here w = 1 and x = 2: add what a and b send.

compare-with = Compare…
share =
    .link = Share
    .copied = Link copied. It contains the program, and nothing is uploaded.
    .large = Too large for a link: save it as a file.
    .by-hand = Copy the link from the address bar.
    .hidden = Copy a link with answers hidden
    .hidden-copied = Link copied. Gradients are hidden. Press H to show them.
    .view = Show
    .graph = graph
    .both = program and graph
    .code = program
    .embed = Copy code to embed it
    .embed-copied = Embed code copied.
    .embed-closed = Embed code copied, but this server doesn't allow other sites to embed it. Its host has to list the site in EXPLORER_FRAME_ANCESTORS.
    .picture = Copy the picture (SVG) with this link
    .picture-copied = Picture copied as HTML. It works offline, and a click opens the link.
    .files = To save the picture or the page as a file, use the File menu.
    .present = Present (P)
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
root-shown = Showing the gradient of { $of }{ $given ->
        [yes] {" "}from v = { $start }
       *[no] {""}
    } instead of the program's own backward calls.
root-no-numbers = The starting gradient v must consist of numbers, not “{ $text }”.
root-does-not-fit = The starting gradient v has { COUNTED($asked, "number", "numbers") }, but { $of } has { COUNTED($entries, "entry", "entries") }. Enter one number, or { $entries }.
root-implicit-not-made = The gradient of { $of } was not computed: the graph contains code of the program (a hook or a custom Function), which would run twice.
root-implicit-failed = The gradient of { $of } is not available: its graph was freed or changed before the program ended.

examples = Examples
example-two-paths = Two paths into one leaf
    .see = w is used twice, so its gradient is a sum: 2 arrives through a, 3 through b.
    .ask = What is w.grad if line 4 is b = w * 1?
example-chain-rule = The chain rule, step by step
    .see = Each edge multiplies by one local derivative: −2 reaches a*b. Multiplied by b = −3, it becomes 6 at a.
    .ask = If a grows by 0.01, by how much does L grow?
example-vector = A vector and its starting gradient v
    .see = y has four entries, so backward needs a weight for each: x.grad is 2 · x · v.
    .ask = Which v makes x.grad the derivative of y.sum()?
example-accumulate = .grad accumulates
    .see = The second backward adds ones to the 4 · x that x.grad already held.
    .ask = Where does x.grad.zero_() have to be so that the second print shows only ones?
example-detach = detach cuts the graph
    .see = For backward u is a constant: the derivative of z = u · x is u = x², not the 3 · x² of x³.
    .ask = What would x.grad be without .detach()?
example-control-flow = Loops and branches
    .see = Autograd records what ran: twelve doublings, so the slope is 4096 = d / a.
    .ask = Does the slope stay the same if a grows a little, and where does it change?
example-training = A training loop, folded
    .see = Each round builds a new graph, which its backward frees. The picture shows the last graph, when the loss is 0.16.
    .ask = What happens to the loss without zero_grad?
example-second-derivative = A derivative of a derivative
    .see = create_graph=True records a graph for the gradient 3 · x² too, so it can be differentiated again: 6 · x.
    .ask = Both are 12 here. At which other x are they equal?
example-broadcast-trap = A loss that broadcasts by mistake
    .see = (3, 1) minus (3,) has shape (3, 3): each prediction is compared with all three targets, and the gradient is 0 although two are wrong.
    .ask = Which shape must target have, and what is the gradient then?
example-where-nan = NaN from where
    .see = where does not choose sqrt(x) at −1 and 0, but its backward runs there too: 0 times infinity or NaN is NaN.
    .ask = How can you keep sqrt from ever seeing these two entries?
example-overflow = Overflow, then NaN
    .see = exp(1000) overflows 32 bits to infinity, and in backward 0 times infinity is NaN. The true gradient is ½ for each.
    .ask = Does torch.logsumexp(x, 0) do better, and why?
example-silently-wrong = A write that torch does not notice
    .see = y was computed with x = 2, but backward reads x after the write through .data, when it is 20. The gradient is 40 instead of 4, without a warning.
    .ask = What does torch do if line 3 is x.detach().mul_(10)?
example-backward-twice = backward twice on one graph
    .see = The first backward frees the graph's saved values, so the second has nothing to multiply with.
    .ask = What is x.grad if line 3 is y.backward(retain_graph=True)?
example-classifier = A small classifier
    .see = The gradient of cross entropy at the scores is softmax minus one-hot, divided by the number of examples, 2.
    .ask = Why does each row of that gradient sum to 0?
example-attention = Attention
    .see = Each row of weights shows how much of each value one query takes. The rows add up to 1.
    .ask = Which of Q, K and V would still get a nonzero gradient if softmax returned a constant?
example-first = Shapes and one gradient
    .see = Twelve entries become shape (3, 4), then three sums, then one number. The gradient flows back through all three to Y.
    .ask = What is the shape of Y's gradient, and which tensors never get a gradient?
example-views = Views and writes
    .see = X, T, row, column and block are views: they share the memory of x. flat had to be copied.
    .ask = The write to X[1, 2] changes several names at once. Which, and why not flat?
example-kinds = Types and special values
    .see = A dtype determines which numbers exist: bfloat16 turns 65504 into 65536, half keeps it.
    .ask = What do 65505 and 70000 become in half?
example-ranks = Four axes
    .see = The weights (3, 1, 1) stretch over every pixel of both images, and the sum over axis 1 makes them grey.
    .ask = How many entries of images.grad are not 0?
example-numpy = NumPy and torch
    .see = numpy(), from_numpy, detach and data share memory. tensor(n) and clone copy.
    .ask = raw is multiplied by 100. Which of w, kept and apart change with it?
example-wrong = Tensors that can't be created
    .see = Six of the seven cells fail, each for a different reason. torch's messages explain why.
    .ask = huge has a billion entries. How many bytes does it take?
recent =
    .title = Recent
    .clear = Clear
program-back = Back to your program
save-as = Save as
save-export = Export
save-kind = { $ending ->
    [py] Python program
    [ipynb] Notebook
    [trace] Recording of the run
    [svg] Vector image
    [png] Image
    [html] Page that plays the run
   *[other] Picture
}
output-held = Output is hidden because it may contain gradients. It returns when you finish Predict or turn it off.
save-held = While you predict, pictures show only the gradients you have reached, programs are saved without output, and the recording can't be saved.
draft =
    .kept = Your last program is kept in this browser.
    .open = Open it
    .drop = Discard it
saved-run = Saved run. Edit it to run it again.
