# A backward written out as code: in the program that checks it, and on the page.

backward-code-begin = backward() written out: a line for each gradient that a node passes on
backward-code-check = the check: torch's own backward() must agree
backward-code-same = The lines above agree with torch's backward().

backward-code = backward() as code
backward-code-exact = Checked by running it: equal to .grad bit for bit.
backward-code-exact-grad = Checked by running it: equal to the result of torch.autograd.grad bit for bit.
backward-code-rounded = Checked by running it: equal to .grad up to rounding (each entry within 10⁻⁶ + 10⁻⁵ of its magnitude).
backward-code-rounded-grad = Checked by running it: equal to the result of torch.autograd.grad up to rounding (each entry within 10⁻⁶ + 10⁻⁵ of its magnitude).
backward-code-open = Open with its check
backward-code-none = Not written out: { $why ->
    [failed] this backward stopped, or the program did.
    [inside] it runs another backward inside it, like a reentrant checkpoint.
    [lost] not all of its graph was recorded.
    [hook] a hook changes a gradient, and its code is not one expression in the program.
    [seed] it starts from a gradient that is too long to write, or from several unnamed results.
    [leaf] a tensor that gets a gradient has no name on the line of the call.
    [long] it has more than { $most } lines. backward_code(max_lines=…) allows more.
    [place] the call is not a separate statement of the program: a library makes it, or its line contains other code.
    [saved] this run was opened from a file and is not run again to check the code. explorer.run(Path("program.py")).backward_code() runs it.
    [entries] the check needs all entries of { $name }, but the recording kept only a sample. record(full=True) keeps all entries of named tensors, as they are when the recording ends, and of parameters also as they are when a backward begins.
    [own] the program's own hook or Function takes part, and a recording does not run it again. explorer.run(Path("program.py")).backward_code() does.
    [root] a library computed the result that it starts from, and the program has no name for it.
    [random] { $name } draws random numbers, so a recording cannot repeat it. explorer.run(Path("program.py")).backward_code() repeats the whole program.
    [autocast] { $name } ran in another dtype under autocast, and a recording does not repeat that. explorer.run(Path("program.py")).backward_code() repeats the whole program.
    [again] { $name } cannot be repeated from the recording. explorer.run(Path("program.py")).backward_code() repeats the whole program.
    [time] the check did not end in time.
    [differs] the lines ran, but their results differ from torch's.
   *[none] the program calls no backward.
}
