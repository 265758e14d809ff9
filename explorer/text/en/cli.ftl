# What the command line says, and the sentences of limits and refusals.

limit-time = The program was stopped after { $bound } s. { $loop ->
    [none] Shorten what it computes.
   *[other] The loop of line { $loop } had not ended: check that it ends, or shorten what it computes.
}
limit-memory = The program asked for more than { $bound } MB. { $loop ->
    [none] Make its tensors smaller.
   *[other] The loop of line { $loop } had not ended: check that it ends, or make what it keeps smaller.
}
limit-output = The program printed more than { $bound } KB. { $count ->
    [one] One character is left out here.
   *[other] { $count } characters are left out here.
}
allow-more = Allow more with { $option }.
bad-limit = { $name } must be a number from { $least } to { $most }, found: { $given }
limit-result = The program left more than { $bound } MB to show. Compute less, or less often.
limit-stopped = You stopped the program after { $bound } s. What it had shown by then is kept. Run starts it again.
limit-crash = { $detail ->
    [no-scheduler] The program was not run: the scheduler of the machines that run programs does not answer. Try again in a moment.
    [no-worker] The program was not run: no machine that runs programs is there. Try again in a moment.
    [worker-lost] The machine that ran the program was lost, and so was the one that restarted it. Run it again; if that ends the same way, make its tensors smaller.
   *[other] The program ended the process that ran it. Nothing after this place was run.
}
refusal = { $what } is not allowed here.

line = line { $line }
unshown = This could not be shown: { $error } at { $place }. The fault is ours, not the program’s; if you report it, send the file too.
no-such-backward = Backward { $number } was asked for. The program calls backward { $count ->
    [0] never
    [one] once
   *[other] { $count } times
}.
no-such-name = The gradients of { $name } were asked for. The program binds that name to no tensor.

drawn = { $path }: { $cards ->
    [one] 1 card
   *[other] { $cards } cards
}.
draw-suffix = { $path }: the name of a picture's file ends in one of { $known }.
draw-unwritten = { $path } could not be written: { $reason }.

file-unread = { $path } could not be read: { $reason }
file-file = { $path } is too large: a file that programs read may have { $file } MB.
file-all = { $path } has no room: the files that programs read may have { $all } MB together.
file-count = { $path } has no room: programs are given at most { COUNTED($count, "file", "files") }.
beside-left-out = { $files ->
    [one] One file of Python beside the program was left out: { $first }.
   *[other] { $files } files of Python beside the program were left out, the first is { $first }.
} At most { $count } go along, { $size } KB each and { $all } MB together, if they can be read.

help-file = a file that the programs find in their folder, or a folder of Python files; may be given several times
help-folder = a folder that the programs may read; relative paths start there (default for a file: the folder it lies in; for standard input: none)
help-no-folder = do not let a program read the folder that it lies in
help-write = what programs write in that folder is written on the disk; otherwise it is gone with the run
help-network = let the programs reach other machines, for downloads
help-app-folder = a folder that the programs you type or open may read; relative paths start there. A program that came with a link may not
help-app-write = what those programs write in that folder is written on the disk; they run while you type
help-app-network = let those programs reach other machines, for downloads
cannot-open-hosted = Folders and the network can't be opened on this server, where strangers run programs (EXPLORER_HOSTED).
cannot-open-elsewhere = No folder and no network is opened: programs run on other machines (EXPLORER_SCHEDULER).
cannot-open-landlock = This system cannot open one folder and nothing else: that takes Linux with Landlock (5.13 or newer) and libseccomp. Nothing is opened. Give single files with --file, or in the menu File.
cannot-open-write = To write, name the folder: --folder DIR --write.
cannot-open-missing = There is no folder { $folder }.
cannot-open-file = { $folder } is a file. Name the folder that it lies in.
cannot-open-everything = { $folder } holds everything on this machine. Name one folder in it.
cannot-open-unreadable = You may not read { $folder }.
cannot-open-unwritable = You may not write in { $folder }.
help-run = run programs and print what they put out, or everything about them as JSON
help-draw = draw the graph of a program
help-app = the pages in a browser; what follows is Streamlit's, such as --server.port=8502
unknown-arguments = unrecognized arguments: { $arguments }
extra-app = Running programs and showing pages needs more ({ $modules } not found). In the project's folder: python -m pip install ".[app]"
extra-draw = Pictures need more ({ $modules } not found). In the project's folder: python -m pip install ".[draw]"
extra-notebook = A picture that asks the kernel needs more ({ $modules } not found). In the project's folder: python -m pip install ".[notebook]"
extra-cluster = A cluster needs more ({ $modules } not found). In the project's folder: python -m pip install ".[app,cluster]"
help-worker = run programs for servers on other machines: a worker of the cluster at EXPLORER_SCHEDULER
help-scheduler = share programs of servers out among workers: the scheduler that listens at EXPLORER_SCHEDULER
help-cluster-address = in place of EXPLORER_SCHEDULER, such as tls://scheduler.example:8786
help-at-once = how many programs run here at the same time (default: one for each processor)
scheduler-listens = Workers and servers may come to { $address }.
worker-joined = Programs from { $address } run here.
worker-unready = The processes that run programs did not get ready. See: python -m explorer doctor
cluster-failed = { $address } could not be used: { $reason }
help-doctor = what confines programs here, versions, what is missing
help-path = .py, .ipynb or .md, or - for a .py text on standard input
help-json = print one JSON object per path, one per line
help-check-gradients = also compare every gradient with what becomes of the result when entries of its leaf are moved
help-seed = seed of torch, numpy and random before each program
help-time-limit = seconds each program may compute (default 60; 10 where EXPLORER_HOSTED is set)
help-memory-limit = MB each program may take beside PyTorch (default: a quarter of the machine's memory)
help-output-limit = KB of text each program may print before the middle is left out (default 64)
help-stop = do not run the cells after one that failed
help-detail = how much is recorded
help-backward = which backward's gradients to show, counted from 1
help-of = show the gradients of this name
help-lang = language of the sentences
help-output = where to write, such as graph.svg; the ending of the name says in which format
help-version = show the version and exit
help-no-fold = draw every node, also of loops

doctor-yes = yes
doctor-no = no
doctor-missing = missing
doctor-cuda = { $version }, built for CUDA { $cuda }
doctor-cuda-needless = { $version }, built for CUDA { $cuda }; no NVIDIA driver is here, and the CPU build is 4 GB smaller
doctor-versions = Versions
doctor-parents = Preloaded parents
doctor-programs = programs run
doctor-layout = graphs are laid out
doctor-left-out = left out, as it cannot be imported
doctor-folders = Folders for files of its own
doctor-temporary = temporary files
doctor-temporary-none = no folder can be written. Only the machines of a cluster need one.
doctor-cache = kept for the next start
doctor-cache-none = no folder can be written. Each start prepares Graphviz and the fonts of plots again.
doctor-names = Names that the app answers to
doctor-names-here = this machine
doctor-names-loopback = localhost, 127.0.0.1, [::1]; and the address at which it listens
doctor-names-site = the site
doctor-names-every = every name: the proxy of this place chooses
doctor-names-none = none. To open the app by another name, set { $variable } to it.
doctor-preload = A process that programs or pictures need does not work. Above this report it says why.
doctor-confinement = What confines a program
doctor-line = { $name }: { $state }

help-footprint = run a call of any library on a small model, and tell what it leaves behind
help-footprint-call = code with model and x, such as "explorer.draw(model, x)"; packages that it names are imported
help-footprint-plain = what the program does without the library: its own effects do not count
footprint-call = The call cannot be made: { $reason }
footprint-nothing = nothing is left
footprint-slower = a plain step afterwards takes { $times } times as long

help-lessons = a folder of lessons with course.toml, before the course of the app
help-check = whether programs or saved runs are sound; ends with 1 if one is not
help-allow = a kind or a name that is accepted, such as gradient_cut or "embed.*"
help-modules = also a table of the modules: output shape, parameters, gradient norm, update
help-report = the gradients of programs or saved runs, where NaN starts, and what is wrong
help-compare = where two programs or saved runs first differ, or whether two modules get the same gradients
help-compare-a = a program, a saved run (.trace), or a module: FILE.py:NAME, which runs here, unconfined
help-compare-b = the other one; of a module without it: a table of torch’s forms of it, such as export and compile
help-compare-batch = of modules: NAME in A’s file, or FILE.py:NAME, of what they are called with (default: x)
help-compare-loss = of modules: the same of a function that makes a loss of their output
compare-one = { $path } has nothing to be compared with: name a second program or saved run.
compare-no-name = { $path } has no { $name }.
compare-stopped = { $path } raised { $reason }
help-record = run your own script, unconfined, save everything autograd did and report
help-open = show a saved run in the app; what follows is Streamlit's
help-path-or-trace = .py, .ipynb, .md, or a saved run (.trace)
help-rtol = relative difference that counts as equal (default: what the dtype accounts for)
help-atol = absolute difference that counts as equal (default: what the dtype accounts for)
help-record-output = where to save: .trace (compact) or .json (for people); default: the script's name with .trace
help-record-module = SCRIPT is the name of a module or package, as after python -m
help-record-script = a Python file; write options of record before it
help-record-arguments = what the script finds in sys.argv
help-open-path = a .trace file written by save or record
record-unconfined = { $path } runs here with all your rights: nothing confines it.
record-saved = Saved in { $path }. { $by ->
    [app] Show it: python -m explorer open { $path }
    [commands] It is longer than what the app draws. Read it: python -m explorer report { $path }; why, draw and compare read it too.
   *[load] Read it: explorer.load("{ $path }")
}
record-suffix = { $path }: a saved run ends in .trace or .json.
record-torch-missing = PyTorch is not installed here: python -m pip install torch

# Opening modules
help-open-module = draw what is inside of a module, such as blocks.0.attn; may be given several times
draw-module-unknown = No module { $path } ran. There are { $known }.
draw-module-several = { $path } is a module of several: { $known }. Give the whole path.
draw-module-none = There is no module { $path }: no operation of this program ran inside of a module.
check-sound = { $path }: { $sound ->
    [yes] sound
    [unknown] unknown
   *[no] not sound
}
help-app-runs = show the trainings that explorer.watch records in DIR
help-app-open = show the program in FILE with the cursor on LINE, and run it again whenever an editor saves it
