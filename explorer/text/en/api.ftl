# What the Python API says about its arguments.

api-trace = { $call } needs a Trace, as explorer.record() and explorer.run() return, not { $given }.
api-trace-json = { $call } needs a Trace. A run loaded from .json has only numbers. Save it as .trace and load that instead.
api-language = lang must be one of { $languages }, not { $given }.
api-name = Expected a name from the program, such as "w" or "w.grad", not { $given }.
api-value = { $name } must be { $must ->
        [backward] the number of a backward call, counted from 1, or None
        [bytes] a positive number of bytes, or None
        [depth] a number of levels (at least 1), or None for all
        [tolerance] a number of at least 0, or None
        [positive] a positive integer
       *[integer] an integer
    }, not { $given }.
api-draw = draw() takes a Trace, a model with its inputs as in draw(model, x), or a tensor that was computed with gradients as in draw(loss), not { $given }.
api-draw-keyword = draw() has no option { $name }. Only models and functions take inputs.
draw-unseen = explorer.draw: this picture can't be shown here. Save it with explorer.draw(…).save("picture.html").
draw-stopped = The picture ends at an error. { $type }: { $text }
record-unfinished = This recording is still running. Its Trace is available after the `with` block.
record-not-begun = Nothing is recorded yet. Use the Trace after the block of `with explorer.record() as trace:`, or after the recorded function was first called.
record-running = This recording is already running. Use a new explorer.record() inside it.
api-several-models = Several models have a tensor { $name }: { $names }.
api-no-value = No entries of { $name } were recorded: they were dropped to stay within max_bytes, or this kind of tensor has no readable entries.
api-allow = allow takes kinds and names, such as ["wrong_mode", "embed.*"], not { $given }.
api-open = open takes paths of modules, such as "blocks.0.attn", not { $given }.
record-broken = The recording could not be read at the end ({ $error }) and is lost. The program is not affected.
record-sampled = The limit of { $bytes } was reached after { COUNTED($operations, "operation", "operations") }. From here on, only the beginning and the end of the run are kept. record(max_bytes=None) keeps everything. explorer.watch records some steps of a long training.
api-path = Expected a file name, not { $given }.
api-source = run() takes the text of a program or a Path, not { $given }.
api-source-name = { $name } is a file name: run(Path("{ $name }")) runs the file. A string is run as the program itself.
api-option = run() has no option { $name }. Options: { $known }.
api-option-value = { $given } is not a valid value for the option { $name } of run().
api-model = Expected a model (torch.nn.Module), not { $given }.
api-no-row = Index { $index } is out of range: { $count ->
    [0] the recording has no such rows.
    [one] the only index is 0.
   *[other] indices run from 0 to { $last }.
}
api-row = Select rows with an integer, a slice or where(name=…, module=…), not { $given }.
api-pattern = where() takes patterns such as where(module="blocks.0.*"), not { $given }.
api-pandas = to_pandas() and entries() need pandas: pip install pandas
api-function = @explorer.record() records functions, not { $given }. In a generator or an async function, use `with`.
api-parentheses = Call record: @explorer.record() before a function, or with explorer.record() as trace.

# What explorer.watch says.

watch-optimizer = Expected a torch optimizer, several of them, or None, not { $given }.
watch-step = The watch counts the steps of its optimizer itself. watch.step() is only for watch(model) without an optimizer.
watch-out = Several processes must share one folder. Name it, for example out="runs/first".
watch-exists = { $path } already has a run. Choose another folder with out=, or delete this folder.
watch-failed = A step was not recorded. Training continues. { $type }: { $text }
watch-repeats = watch.repeats() needs the torch optimizer that the watch was given.
watch-jump = loss_jump() takes a factor above 1 and a window of at least 5 losses.
watch-on = on= takes "nonfinite", loss_jump(3.0), a function of a step, or several of them, not { $given }.
watch-also = also= takes objects with state_dict() and load_state_dict(), not { $given }.
watch-samples = samples= takes a function that returns the indices of the batch, not { $given }.
watch-to = to= takes a TensorBoard SummaryWriter or a wandb run, not { $given }.
watch-event = Step { $step }: { $event }. The step was run again and recorded in { $path }. It ended in the same state, bit by bit.
watch-event-differs = Step { $step }: { $event }. The step was run again and recorded in { $path }, but ended in another state: something that it reads is not restored. Pass it in also=, if it has a state_dict().
watch-event-batch = Step { $step }: { $event }. The step cannot run again, because its arguments were changed in place. The next step is recorded.
watch-event-next = Step { $step }: { $event }. Only a step that watch.repeats() wraps can run again. The next step is recorded.
statistics = { COUNTED($steps, "step", "steps") } { $known ->
    [True] with a loss from { $first } to { $last }
   *[other] without a loss
}
statistics-event = step { $step }: { $event }
sample-term = Row { $row } of the { $rows } in the loss: { $shares ->
    [none] { $term }
    [whole] { $term }, { $share } of the loss
   *[other] { $term }, at least { $share } of the loss
}
sample-terms-alike = No row of the loss stands out: the largest of { $rows } adds { $share }.
sample-term-known = Sample { $sample } (row { $row } of the batch): { $shares ->
    [none] { $term }
    [whole] { $term }, { $share } of the loss
   *[other] { $term }, at least { $share } of the loss
}

api-forms-module = compare() and compare_forms() take a module, or a function without arguments that creates one, not { $given }.
api-forms-other = compare() takes two modules, or functions that create them, and a batch, not { $given }.
api-forms-none = The first module gets no gradient: its loss does not depend on any parameter or input that requires grad.
