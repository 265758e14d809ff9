# Lessons: what is wrong with their files, and what a learner's program did.

help-lesson = check a lesson or a course: its files, its questions, and whether its programs behave as claimed
help-lesson-path = a lesson's folder or a folder with course.toml
lesson-sound = { $path }: { $lessons ->
    [one] 1 lesson is sound
   *[other] { $lessons } lessons are sound
}.
lesson-unsound = { $path }: { $count ->
    [one] 1 problem
   *[other] { $count } problems
}.

lesson-flaw-no-course = The file is missing. A course has course.toml with its chapters.
lesson-flaw-missing = The file is missing. A lesson has lesson.toml, program.py, and a text such as en.md.
lesson-flaw-too-large = The file has { COUNTED($size, "byte", "bytes") } or more, but at most { $most } are read.
lesson-flaw-no-text = The file is not UTF-8 text.
lesson-flaw-toml = This is not valid TOML: { $words }.
lesson-flaw-nested = Its lists and tables are nested too deeply.
lesson-flaw-dots = This line has more than { $most } dots.
lesson-flaw-field = { $words }. docs/lessons.md lists the allowed fields.
lesson-flaw-subject = A fact of “{ $name }” must name exactly one subject, such as value, gradient, shape, prints or error.
lesson-flaw-requires-nothing = A check of “{ $name }” names { $subject } without a required value. Add equals, contains, least or most.
lesson-flaw-program-unread = A program in this lesson can't be split into cells.
lesson-flaw-empty-program = The program is empty.
lesson-flaw-title = The text must begin with one title, such as “# A first backward”.
lesson-flaw-heading = “{ $heading }” is not a lesson heading. Use “## ask NAME” and “## text”, and below a question “### hint”, “### right” and “### wrong NAME”. Only hints may be repeated.
lesson-flaw-twice = “{ $name }” appears twice.
lesson-flaw-empty = There is nothing below “{ $heading }”.
lesson-flaw-no-question = The question of “{ $name }” is missing.
lesson-flaw-no-right = “{ $name }” has no “### right”, the reply to the right answer.
lesson-flaw-html = HTML is not rendered: { $found }. Write Markdown.
lesson-flaw-picture = Pictures are not shown. Let the program draw one.
lesson-flaw-languages-differ = The languages have different { $what ->
        [questions] questions
       *[formulas] formulas or code
    }: { $found } here, { $other } in the other language.
lesson-flaw-texts-differ = The “## text” sections are in different places in the two languages.
lesson-flaw-counts-differ = “{ $name }” has { $found } { $what ->
        [choices] choices
       *[hints] hints
    } here, { $other } in the other language.
lesson-flaw-replies-differ = “{ $name }” replies to { $found } here, to { $other } in the other language.
lesson-flaw-asks-unlike-toml = The text asks { $found }, lesson.toml { $other }.
lesson-flaw-no-reply = lesson.toml answers “{ $name }” with { $reply }; “### wrong { $reply }” is missing.
lesson-flaw-reply-unused = No wrong answer of “{ $name }” in lesson.toml is answered with { $reply }.
lesson-flaw-choices-unasked = “{ $name }” lists choices, but its kind is not choice.
lesson-flaw-choices = The choices of “{ $name }” must be a list “- a) …”, “- b) …” and so on, with at least two entries.
lesson-flaw-choice-unknown = “{ $name }” has no choice { $letter }.
lesson-flaw-program-fails = The program stops here: { $words }. If it should, add a check with error or raises.
lesson-flaw-no-fact = The Trace of the program has no answer to “{ $name }” ({ $subject }): no tensor of that name, no such entry, or nothing of that kind.
lesson-flaw-wrong-is-right = “{ $name }” calls a right answer wrong: { $answer }.
lesson-flaw-wrong-taken = “{ $name }”: { $answer } gets an earlier reply, so { $reply } is never reached.
lesson-flaw-no-card = “{ $name }”: the picture has no card { $answer }.
lesson-flaw-no-broadcast = “{ $name }”: { $answer } are not tensors of the program that can be broadcast together.
lesson-flaw-already-holds = The checks of “{ $name }” pass before anything was changed.
lesson-flaw-never-holds = The solution of “{ $name }” does not satisfy its check of { $subject }: found { $found }.
lesson-flaw-when-fails = “{ $name }”: the program answered with { $reply } does not meet its own `when`: found { $found }.
lesson-flaw-need = It needs { $name }, which is not in the course.
lesson-flaw-unlisted = No chapter lists the folder { $name }.
lesson-flaw-circle = These lessons depend on each other in a circle: { $name }.

lesson-did-stopped = Your program stopped on line { $line } with { $type }. Fix that error first.
lesson-did-ended = Your program was stopped on line { $line }.
lesson-did-stopped-nowhere = Your program stopped. Fix that error first.
lesson-did-unbound = Your program has no tensor named { $name }.
lesson-did-no-entry = Your { $name } has no such entry, or has too many entries to check.
lesson-did-value = Your { $name } is { $found }.
lesson-did-before = It held { $found } before the last backward call added to it.
lesson-did-part = { $found } of it is from { $code }.
lesson-did-no-gradient = { $why ->
        [capped] The gradient of { $name } was not recorded: the program does too much.
       *[other] { $name }.grad is None: { $why ->
            [cleared] backward() stored a gradient there, and it was cleared afterwards
            [no-grad] { $name } has requires_grad=False, or the results computed from it were not recorded
            [not-on-path] the output does not depend on { $name }
            [cut] the graph is cut between { $name } and the output, as by detach
            [left] { $name } reaches the output only as plain numbers, as with item()
            [pruned-by-inputs] backward was called with other tensors in inputs=
            [failed] backward stopped before it got there
           *[none] no backward() reached { $name }
        }.
    }
lesson-did-property = The { $what } of your { $name } is { $found }.
lesson-did-stride = The strides of your { $name } are { $found }.
lesson-did-version = The version of your { $name } is { $found }: it was changed in place that many times.
lesson-did-writes = The memory of your { $name } was written to { COUNTED($found, "time", "times") } after { $name } was made.
lesson-did-first = Your { $name } begins with { $found }.
lesson-did-grad-fn-none = Your { $name } has no grad_fn.
lesson-did-requires-grad = Your { $name } has requires_grad={ $is ->
        [yes] True
       *[no] False
    }.
lesson-did-leaf = Your { $name } is { $is ->
        [yes] a leaf
       *[no] not a leaf: it is the result of an operation
    }.
lesson-did-shares = Your { $name } and { $other } { $is ->
        [yes] share
       *[no] do not share
    } memory.
lesson-did-prints = The output is: { $found }
lesson-did-no-error = Your program ran to its end without an error.
lesson-did-node = Your graph has { $count ->
    [0] no { $name }
    [one] { $name } once
   *[other] { $name } { $count } times
}.
lesson-did-plots = Your program draws { $count ->
    [0] no plot
    [one] 1 plot
   *[other] { $count } plots
}.
lesson-did-backwards = Your program { $count ->
    [0] never computes gradients
    [one] computes gradients once
   *[other] computes gradients { $count } times
}.
lesson-did-uses = Your program { $is ->
        [yes] uses
       *[no] does not use
    } { $name }.
lesson-did-diagnosis = Your program ran without an error, but something in it is wrong. The note below explains it.
lesson-did-diagnosis-none = Your program does not have that bug yet.

nav-lessons = Lessons
lessons-lede = Predict what PyTorch will do, look, and change the program until it does what you want.
lessons-map = Map of the course
lessons-chapter = { $done } of { $all }
lessons-minutes = { $minutes ->
    [one] 1 minute
   *[other] { $minutes } minutes
}
lessons-can = You can now { $can }.
lessons-will-can = Afterwards you can { $can }.
lessons-after = after { $names }
lessons-is =
    .done = done
    .begun = started
    .open = not started
lessons-path = Path through the course
lessons-path-all = The whole course
lessons-begin-with = Start: { $title }
lessons-go-on-with = Continue: { $title }
lessons-unknown = There is no lesson { $name } in this course.
lessons-course = Course
lessons-at = Question { $at } of { $all }
lessons-previous = Previous lesson
lessons-next = Next lesson
lessons-held = The picture and the output appear here after you answer.
lessons-held-gradients = Backward starts with 1. The other gradients appear when you have answered.
lessons-answer-number = Your answer
    .example = a number, such as 1/2 or −3
    .unread = Please type a number, such as 1.5, −0.5 or 1/3.
lessons-answer-shape = The shape
    .example = (2, 3)
    .unread = This is not a shape. Write one such as (2, 3), or () for a single number.
lessons-answer-prints = It prints
    .example = text
    .unread = Write the text of the output.
lessons-check = Check
lessons-axes = Axes of { $name } that are stretched, counted from the last
lessons-how-card = Choose the card in the picture.
lessons-how-make = Change the program. It runs as you type, and the reply depends on its results.
lessons-unread = This answer could not be read.
lessons-not-yet = { $how ->
    [sign] Not yet: the sign is wrong.
    [large] Not yet: this is too large.
    [small] Not yet: this is too small.
    [far] Not yet: the sign is right, but this is too far from 0.
    [close] Not yet: the sign is right, but this is too close to 0.
    [axes] Not yet: the number of axes is different.
    [sizes] Not yet: the number of axes is right, but not every size.
   *[other] Not yet. Look at the program again.
}
lessons-hint = Hint
lessons-hint-more = Another hint
lessons-skip = Skip
lessons-show = Show the answer
lessons-right = Right.
lessons-was-yours = was your answer.
lessons-shown = The answer:
lessons-go-on = Continue
lessons-on-to = Next: { $title }
lessons-to-map = Back to the course
lessons-anew = Play it again
lessons-restore = Back to the lesson’s program
lessons-newcomer-link = Learn it in 20 minutes
