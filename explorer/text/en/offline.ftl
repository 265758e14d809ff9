# A page of its own that plays a run without a server: what it leaves out.
offline-left-out = { COUNTED($count, "step", "steps") } are left out here: this page would grow too large.
offline-most = This page plays { $most } of { COUNTED($count, "step", "steps") }, the first and the last.
offline-unwatched = The values of Python's own variables were not recorded: the player shows operations and gradients.
offline-statements = { $count ->
    [one] One statement at the end was
   *[other] { $count } statements at the end were
} not recorded one by one.
offline-plot = This plot is left out: the page would grow too large.
