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
    [hook-own] a hook changes a gradient, and a recording does not run the program's own hook again. explorer.run(Path("program.py")).backward_code() does.
    [operand] the recording kept only a sample of an operand of { $name }, and no recorded call made it.
    [own] { $name } is a Function written in Python, and a recording does not run the program's own code again. explorer.run(Path("program.py")).backward_code() does.
    [compiled] { $name } was compiled by torch.compile: its backward is one compiled function, not a graph of torch's operations. The same step without torch.compile can be written.
    [mapped] { $name } ran inside vmap or another transform of torch.func, and a recording cannot repeat such a call alone.
    [grad] { $name } makes a gradient that is differentiated again, and a recording does not repeat a backward.
    [unknown] { $name } is not one of torch's functions that a recording can call again.
    [argument] an argument of { $name } is neither a tensor nor a plain value, so a recording cannot repeat the call.
    [changed] { $name } gives other numbers when it is repeated on the recorded values.
    [graph] torch builds another graph when it repeats { $name } on the recorded values.
    [device] { $name } ran on another device than the CPU, and a recording is repeated only there.
    [refused] torch stopped with an error in the written lines: { $name }
    [root] a library computed the result that it starts from, and the program has no name for it.
    [random] { $name } draws random numbers, so a recording cannot repeat it. explorer.run(Path("program.py")).backward_code() repeats the whole program.
    [autocast] { $name } ran in another dtype under autocast, and a recording does not repeat that. explorer.run(Path("program.py")).backward_code() repeats the whole program.
    [again] { $name } cannot be repeated from the recording. explorer.run(Path("program.py")).backward_code() repeats the whole program.
    [time] the check did not end in time.
    [differs] the lines ran, but their results differ from torch's.
   *[none] the program calls no backward.
}
