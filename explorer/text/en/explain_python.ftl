# Python's own errors, NumPy's and pandas', explained: a title, the cause, the change.

error-name-unknown = A name without a value
    .cause = Line { $line } reads { $name }, and no line of the program gives that name a value.
    .repair = Assign { $name } above line { $line }, or check its spelling.
error-name-near = A name in another spelling
    .cause = Line { $line } reads { $name }, which nothing has assigned. Line { $where } assigns { $right }.
    .repair = Write { $right }.
error-name-near-builtin = A name in another spelling
    .cause = Line { $line } reads { $name }, which nothing has assigned. Python has { $right }.
    .repair = Write { $right }.
error-constant-spelt-otherwise = A constant in another spelling
    .cause = Python reads { $name } on line { $line } as the name of a variable, and there is none; the constant is spelt { $right }.
    .repair = Write { $right }.
error-import-missing = A library is not imported
    .cause = Line { $line } uses { $name }, and no line of the program imports it.
    .repair = Put { $import } at the top.
error-name-of-a-library = A library's name without the library
    .cause = Line { $line } uses { $name } by itself. It belongs to a library and is reached as { $full }.
    .repair = Write { $full }.
error-name-of-a-function = The name lives inside a function
    .cause = { $name } is assigned on line { $where }, inside { $function }(). Names assigned there do not exist outside, where line { $line } reads { $name }.
    .repair = Let { $function }() return the value and assign the result: { $name } = { $function }(...).
error-name-deleted = The name was deleted
    .cause = del on line { $where } removed { $name }, and line { $line } reads it.
    .repair = Remove the del, or assign { $name } again before line { $line }.
error-name-needs-itself = The name is used in its own first value
    .cause = Line { $line } computes the first value of { $name } from { $name }, which has none yet.
    .repair = Give { $name } a starting value above line { $line }.
error-name-made-below = The name gets its value further down
    .cause = Line { $line } reads { $name }, and its first value comes on line { $where }. Lines run from top to bottom.
    .repair = Move the assignment above line { $line }.
error-name-made-in-a-later-cell = The name gets its value in a later cell
    .cause = Line { $line } reads { $name }, and its first value comes in cell { $cell }, line { $where }. Cells run from top to bottom.
    .repair = Move that assignment into an earlier cell.
error-name-of-a-failed-cell = The cell that assigns it has failed
    .cause = { $name } is assigned on line { $where } of cell { $cell }. { $stop ->
        [0] Nothing of that cell ran ({ $what }).
       *[other] That cell stopped on line { $stop } ({ $what }).
    } So line { $line } finds no value.
    .repair = Mend cell { $cell } first.
error-name-of-a-refused-cell = The cell that assigns it was refused
    .cause = { $name } is assigned on line { $where } of cell { $cell }. That line did not run, because { $what } was refused. So line { $line } finds no value.
    .repair = Cell { $cell } says what to use instead. { $name } exists once that cell runs to its end.
error-name-of-a-limited-cell = The cell that assigns it reached a limit
    .cause = { $name } is assigned on line { $where } of cell { $cell }. That line did not run: the cell was ended by the { $what ->
        [time] time limit
        [memory] memory limit
        [files] limit for files
       *[other] limits of the run
    }. So line { $line } finds no value.
    .repair = Make cell { $cell } smaller, so that it runs to its end.
error-name-of-a-cell-that-needs-another = An earlier cell did not finish
    .cause = { $name } is assigned on line { $where } of cell { $cell }, which failed because cell { $root } did not finish: { $how ->
        [refused] { $what } was refused.
        [limited] it reached a limit.
       *[failed] { $what }.
    }
    .repair = { $how ->
        [refused] Cell { $root } says what to use instead.
        [limited] Make cell { $root } smaller, so that it runs to its end.
       *[failed] Mend cell { $root } first.
    }
error-name-of-an-import-that-failed = A cell before did not finish
    .cause = Line { $line } reads { $name }, which no line of the program assigns. It may come from { $import } in cell { $cell }, and that cell ended before that line ({ $what }).
    .repair = Mend cell { $cell } first.
error-name-not-reached = The line that assigns it did not run
    .cause = { $name } is assigned on line { $where }, and that line had not run when line { $line } read the name: its branch or loop was skipped, or its function was not called.
    .repair = Give { $name } a value on every way to line { $line }.
error-local-hides-global = The function makes the name local
    .cause = { $function }() assigns { $name }, so the name is local in the whole function; the { $name } of line { $where } is not seen, and line { $line } reads the local one before it has a value.
    .repair = Write global { $name } at the start of the function, or pass { $name } in and return the new value.
error-local-read-early = A local name is read before it has a value
    .cause = { $name } is a local name of { $function }(), and line { $line } reads it before any line that assigns it has run.
    .repair = Give { $name } a value before line { $line } on every way through { $function }().
error-module-near = A module in another spelling
    .cause = There is no module { $name }; a module that is here is called { $right }.
    .repair = Write { $right }.
error-module-to-install = A library that is not installed here
    .cause = { $name } is not installed on this machine.
    .repair = { $command ->
        [none] Run this program where { $name } is installed.
       *[other] On a machine of your own: { $command }. Then restart the explorer. On a hosted site only its host can install it.
    }{ $without ->
        [print] {" "}Or leave { $name } out, and print what you want to follow.
        [draw] {" "}Or draw with matplotlib, which is here.
       *[run] {""}
    }
error-module-part-not-here = A part of a library that is not here
    .cause = { $library } is here, and has no module { $name }, or not in this version.
    .repair = Look up in which module of { $library } the name lies.
error-module-of-a-file = A module that is not here
    .cause = There is no module { $name } here, neither in a library nor in a file of that name that the program was given.
    .repair = If it is a file that belongs to this program, add { $name }.py under File, Files (on the command line it is taken from the program's folder, or given by --file).
error-book-in-torch = Another edition of the book
    .cause = The book's library is here for torch alone; { $name } is the name of another edition.
    .repair = Write: from d2l import torch as d2l.
error-book-lacks-name = Not in the book's library
    .cause = The d2l that is here has what the chapters on tensors, gradients, linear models and multilayer perceptrons keep for later ones; { $name } is not among it.
    .repair = Copy the definition of { $name } from its chapter into a cell above; on your own machine, you can also install the whole library beside torchvision: pip install --no-deps d2l.
error-name-not-in-module = The module has no such name
    .cause = { $module } is here, and has no { $name }: the name is spelt otherwise, or lies in another module or version.
    .repair = Check the spelling of { $name } in { $code }.
error-tensor-attribute-of-another-library = Tensors have another name for this
    .cause = Tensors have no { $name }; other libraries do. What does this for the tensor { $base } is { $instead }.
    .repair = Use { $instead }.
error-tensor-attribute-near = An attribute in another spelling
    .cause = In { $code } the attribute { $name } does not exist; a tensor has { $right }.
    .repair = Write { $right }.
error-tensor-attribute-missing = A tensor has no such attribute
    .cause = { $base } is a tensor, and tensors have no attribute or method called { $name }.
    .repair = Use a function of torch, or a method that tensors have.
error-number-from-item = A number has taken the tensor's place
    .cause = .item() on line { $where } made { $base } a plain Python number, which has no { $name } and no graph behind it.
    .repair = Keep the tensor: drop .item() on line { $where }, and call it only where the number is printed.
error-number-is-no-tensor = A number in place of a tensor
    .cause = { $base } is a Python { $type }; { $name } belongs to tensors.
    .repair = Make it a tensor: torch.tensor(...), with requires_grad=True where a gradient is wanted.
error-list-is-no-tensor = A { $type } in place of a tensor
    .cause = { $base } is a Python { $type }; { $name } belongs to tensors.
    .repair = { $type ->
        [tuple] Take the entry that is meant, as in value[0]; numbers become a tensor with torch.tensor(...).
       *[list] Make it a tensor first: torch.tensor(...), or torch.stack(...) for a list of tensors.
    }
error-array-is-no-tensor = A NumPy array in place of a tensor
    .cause = { $base } is a NumPy array, and arrays have no { $name }.
    .repair = Make it a tensor: torch.from_numpy(...) or torch.tensor(...).
error-method-near = A method in another spelling
    .cause = A { $type } has no method { $name }; it has { $right }.
    .repair = Write { $right }.
error-attribute-near = An attribute in another spelling
    .cause = { $type } objects have no attribute { $name }; they have { $right }.
    .repair = Write { $right }.
error-attribute-missing = The value has no such attribute
    .cause = { $base } is of type { $type }, which has no attribute or method { $name }.
    .repair = Print type({ $base }) to see what it is, and use a method of that type.
error-attribute-never-set = An attribute that nothing sets
    .cause = No line of class { $class } assigns self.{ $name }.
    .repair = Set self.{ $name } in __init__, or use the name that is set there.
error-attribute-set-later = The attribute is not set yet
    .cause = Class { $class } does assign self.{ $name }, and that line had not run when { $code } read it.
    .repair = Assign self.{ $name } in __init__, before it is used.
error-attribute-read-only = An attribute that cannot be assigned
    .cause = { $name } is computed by the class { $class } and cannot be assigned.
    .repair = Use a method that changes the object, or another name.
error-class-attribute-missing = The class has no such attribute
    .cause = { $class } is the class itself; { $name } is missing there.
    .repair = Make an object first, { $class }(...), and ask that; or check the spelling of { $name }.
error-module-lacks-name = The module has no such name
    .cause = { $module } has nothing called { $name } in this version.
    .repair = { $right ->
        [none] Check the spelling of { $name }, or look in another module.
       *[other] Write { $right }.
    }
error-module-lacks-cuda = Only in builds with CUDA
    .cause = This torch is built without CUDA, and { $module } then has no { $name }.
    .repair = Ask torch.cuda.is_available() before, or leave the call out.
error-module-lacks-near = A name in another spelling
    .cause = { $module } has nothing called { $name }; it has { $right }.
    .repair = Write { $right }.
error-method-returns-nothing = The method returns nothing
    .cause = .{ $method }() on line { $where } changes its object and returns None; so { $base } is None.
    .repair = Call .{ $method }() on a line of its own, without assigning its result.
error-none-used = None in place of a value
    .cause = { $piece } is None.
    .repair = Look where it gets its value: a function without return gives None, so does a method that changes a list in place, get() of a key that is missing, and .grad before the first backward().
error-none-since = None in place of a value
    .cause = { $piece } is None, as line { $where } sets it, and no line has given it a tensor since.
    .repair = Check whether the loop or the branch that gives it a value ran.
error-shape-called = shape is no method
    .cause = shape is an attribute that holds the sizes; the round brackets after { $base } call it like a function.
    .repair = Write { $right }.
error-builtin-overwritten = A built-in function was overwritten
    .cause = Line { $where } assigned a { $type } to { $name }, so { $name } no longer means Python's function.
    .repair = Choose another name on line { $where }.
error-property-called = No brackets after this attribute
    .cause = { $base } is a tensor already, not a method; the brackets try to call that tensor.
    .repair = Write { $base }.
error-tensor-called = A tensor is called like a function
    .cause = { $base } is a tensor; round brackets call a function, square brackets pick entries.
    .repair = Write { $base }[{ $inside }] to pick entries, or put an operator such as * before the bracket.
error-number-called = A product needs its sign
    .cause = { $base } is a number; Python takes the round bracket behind it as a call, not as a product.
    .repair = Write * between { $base } and the bracket.
error-module-called = A module is called like a function
    .cause = { $base } is a module, not a function or a class.
    .repair = Name the function or class inside it: { $base }.name(...).
error-collection-called = Square brackets pick, round ones call
    .cause = { $base } is a { $type }; its entries are picked with square brackets.
    .repair = Write { $base }[...].
error-value-called = A value is called like a function
    .cause = { $base } is of type { $type } and cannot be called.
    .repair = Remove the round brackets, or call the function you meant.
error-method-indexed = The method is not called
    .cause = { $base } is a method; only its result, { $base }(), can be indexed.
    .repair = Write { $base }()[...].
error-function-indexed = Square brackets after a function
    .cause = { $base } is a function or a class; it is called with round brackets.
    .repair = Write { $base }(...).
error-number-indexed = One value has no positions
    .cause = { $base } is one value of type { $type }; there is nothing to pick with [...].
    .repair = Use { $base } itself, or index the list or tensor it came from.
error-unpacked-one-value = One value for several names
    .cause = The right side of line { $line } is one value of type { $type }, and the left side has several names.
    .repair = Let the right side give as many values as there are names, or use one name.
error-loop-over-a-number = A loop over a number
    .cause = { $base } is one whole number, and for needs something with entries.
    .repair = Write range({ $base }).
error-text-plus-value = Text plus a value
    .cause = + joins a text only with another text; { $right } is of type { $type }.
    .repair = Write str({ $right }), or an f-string.
error-list-plus-value = A list plus a value
    .cause = + joins a { $first } with another { $first }; it adds no { $type } to the entries.
    .repair = For arithmetic make it a tensor, torch.tensor(...); to add one entry write .append(...).
error-list-in-arithmetic = Arithmetic with a list
    .cause = A Python list or tuple in { $code } does not compute entry by entry.
    .repair = Make it a tensor, torch.tensor(...), or take the entry that is meant.
error-name-not-rebound = An earlier cell stopped before it changed this name
    .cause = Cell { $cell }, which gives { $piece } a new value, stopped before it did: { $piece } is still a function.
    .repair = Mend cell { $cell } first.
error-method-not-called = A method without its brackets
    .cause = { $piece } is the method itself, not its result.
    .repair = Write { $piece }().
error-array-with-tensor = A NumPy array meets a tensor
    .cause = One side of { $sign } is a NumPy array and the other is a tensor.
    .repair = Make the array a tensor, torch.from_numpy(...), where gradients are needed; otherwise make both arrays, .detach().numpy().
error-parameters-added = Two generators cannot be added
    .cause = parameters() returns a generator, and generators have no +: { $code }.
    .repair = Make one list of both: [*a.parameters(), *b.parameters()].
error-text-in-arithmetic = Text in arithmetic
    .cause = { $sign } joins a { $left } and a { $right } here: one of the two is text, even if it looks like a number.
    .repair = Turn the text into a number, float(...), or the number into text, str(...).
error-list-for-tensor = A list in place of a tensor
    .cause = { $function }() computes with tensors; its argument { $name } is a Python { $given } here ({ $wanted } is expected).
    .repair = Make it a tensor: torch.tensor(...), or torch.stack(...) for a list of tensors.
error-number-for-tensor = A number in place of a tensor
    .cause = { $function }() computes with tensors; its argument { $name } is a Python { $given } here ({ $wanted } is expected).
    .repair = Write torch.tensor(...), or use Python's own function for numbers.
error-array-for-tensor = A NumPy array in place of a tensor
    .cause = The argument { $name } of { $function }() is a { $given }; { $wanted } is expected.
    .repair = Use torch.from_numpy(...); add .float() where the weights are float32.
error-none-for-tensor = None in place of a tensor
    .cause = The argument { $name } of { $function }() is None ({ $given }); { $wanted } is expected. What should have made it returned nothing.
    .repair = Look at the line that makes it: a return or a backward() may be missing.
error-whole-number-wanted = A whole number is wanted
    .cause = The argument { $name } of { $function }() must be a whole number ({ $wanted }), and it is a { $given }.
    .repair = Write a whole number: int(...), or // in place of /.
error-sizes-wanted = Sizes are whole numbers
    .cause = { $function }() takes whole numbers as { $name } ({ $wanted }), and one here is a { $given }.
    .repair = Write whole numbers, such as (2, 3); a length computed with / needs //.
error-arguments-do-not-fit = No form of the function takes these
    .cause = { $function }() was given ({ $given }). One form it has is ({ $wanted }).
    .repair = Compare number, order and types of the arguments in { $code }.
error-keyword-near = An argument in another spelling
    .cause = { $function }() has no argument { $name }; the usual name is { $right }.
    .repair = Write { $right }=.
error-tensor-of-several-values = Several values need one list
    .cause = torch.tensor takes one value: the whole list. The second number in { $code } is an argument too many.
    .repair = Put square brackets around the numbers.
error-self-missing = The method has no self
    .cause = Python passes the object itself as the first argument; { $name }() on line { $line } has no place for it, so { $code } gives one value too many.
    .repair = Write self as the first parameter of { $name }().
error-too-many-arguments = Too many arguments
    .cause = { $code } gives { $function }() more by position than it takes: given { $given }, taken at most { $most }.
    .repair = Leave out what is too many, or name the arguments: name=value.
error-closure-missing = This optimizer needs a closure
    .cause = { $function }() computes the loss several times in a step and wants a function that does that.
    .repair = Define a closure that clears the gradients, computes the loss, calls backward() and returns the loss; call step(closure).
error-called-on-the-class = A method is called on the class
    .cause = { $code } calls { $function } on the class, so there is no object for { $missing }.
    .repair = Make an object first and call the method on it.
error-list-position-of-two = A list takes one position
    .cause = A list of lists is no matrix: { $code } asks for two positions at once.
    .repair = Write two pairs of brackets, a[i][j], or make the list a tensor.
error-list-position-of-another-type = A position is a whole number
    .cause = The position in { $code } is a { $type }.
    .repair = Use int(...), or // in place of / where the position is computed.
error-whole-number-for-range = A whole number is wanted
    .cause = { $code } counts, and was given a number with a decimal point.
    .repair = Write int(...), or // in place of /.
error-unpacked-too-many = More values than names
    .cause = On the left stand { $wanted } names ({ $names }); the right side of { $whole } has more values.
    .repair = Add names on the left, or pick the values you need; a name with * takes all the rest.
error-parameters-without-names = parameters() gives no names
    .cause = parameters() gives the parameters alone, and { $code } on line { $line } are two names for each.
    .repair = Write named_parameters().
error-unpacked-too-few = Fewer values than names
    .cause = { $names } stand for { COUNTED($wanted, "value", "values") }, and there are { $given } in { $whole }.
    .repair = Leave out names, or give as many values; a dataset of one tensor gives batches of one.
error-text-no-whole-number = This text is no whole number
    .cause = int() reads texts of whole numbers only; { $text } has more in it.
    .repair = Write int(float(...)).
error-list-too-short = The list is shorter
    .cause = { $name } has { COUNTED($count, "entry", "entries") }, at positions 0 to { $last }; { $code } asks for one outside.
    .repair = Use positions up to { $last }, or loop with range(len({ $name })).
error-list-is-empty = The list is empty
    .cause = { $name } has { COUNTED($count, "entry", "entries") }, its last position would be { $last }; { $code } asks for one.
    .repair = Fill { $name } before reading from it.
error-division-by-a-zero = The divisor is zero
    .cause = { $divisor } is 0 in { $code }.
    .repair = Make sure that { $divisor } is not 0 here; for averages check for an empty list.
error-division-by-zero = A division by zero
    .cause = The divisor in { $code } is zero; Python's own numbers stop there, while tensors give inf or nan.
    .repair = Make sure that the divisor is not zero.
error-recursion-without-end = A function calls itself without end
    .cause = { $name }() calls itself again and again; no call came to an end before Python's limit.
    .repair = Give { $name }() a case that returns without calling itself, and make each call come closer to it.
error-key-that-can-change = A key must not change
    .cause = A { $type } can change, so it cannot be a key of a dict or an entry of a set: { $code }.
    .repair = Use a tuple, a number or a text as the key.
error-not-changeable = This value cannot be changed in place
    .cause = A { $type } keeps its entries; { $code } tries to assign one.
    .repair = Make a new one, or use a list or a tensor.
error-value-without-length = This value has no length
    .cause = A value of type { $type } in { $code } has no len(): it is one value, or its class defines no __len__.
    .repair = Give a list or a tensor; a class of your own needs a method __len__.
error-argument-given-twice = An argument is given twice
    .cause = { $name } gets a value by its position and another by its name in { $code }.
    .repair = Leave one of the two out.
error-format-arguments = The % places and the values differ
    .cause = { $code } has not as many % places as there are values after it.
    .repair = Write an f-string, with each value in braces.
error-sign-of-another-type = A sign before a value that has none
    .cause = A { $type } takes no { $sign } before it: { $code }.
    .repair = Use a number or a tensor there.
error-sizes-of-another-type = Sizes are whole numbers
    .cause = A size in { $code } is a { $type }.
    .repair = Write whole numbers; a length computed with / needs //.
error-pop-from-nothing = Nothing is left to take
    .cause = The list in { $code } is empty.
    .repair = Check its length before taking an entry.
error-math-domain = Outside the function's domain
    .cause = { $code } takes a root or a logarithm, or a similar function, where it has no real value.
    .repair = Check the sign of the argument; torch functions give nan there instead of stopping.
error-math-range = A number too large for Python
    .cause = The result of { $code } is above about 1.8e308, the largest floating-point number.
    .repair = Use smaller arguments, or logarithms.
error-not-in-list = The list has no such entry
    .cause = What { $code } looks for is not in the list ({ $value }).
    .repair = Ask with `in` before.
error-assertion-failed = An assertion does not hold
    .cause = assert checks a condition, and on line { $line } it is false: { $code }.
    .repair = Print the values in the condition to see which one is not as expected.
error-iterator-at-its-end = The iterator has no more entries
    .cause = { $code } asks for a further entry after the last one.
    .repair = Use a for loop, or next(..., None).
error-character-of-another-keyboard = A sign from another keyboard
    .cause = Line { $line } has { $character }; outside of texts Python knows only its own { $right }.
    .repair = Switch the keyboard and write { $right }.
error-character-unknown = A sign Python does not use
    .cause = Line { $line } has { $character } outside of a text: { $code }.
    .repair = Remove it, or put it into quotation marks.
error-bracket-open = A bracket is not closed
    .cause = The { $bracket } on line { $line } has no { $closing } after it.
    .repair = Write { $closing } where the bracket should end.
error-bracket-of-another-kind = A bracket is closed by another kind
    .cause = { $bracket } is open and { $closing } on line { $line } cannot close it.
    .repair = Write { $right }.
error-bracket-too-many = A closing bracket too many
    .cause = The { $bracket } on line { $line } has no { $opening } before it.
    .repair = Remove { $bracket }, or open one before.
error-colon-missing = A colon is missing
    .cause = A line that begins with { $word } ends with a colon: { $code } on line { $line } has none.
    .repair = Write : at its end.
error-equals-in-condition = One = assigns, two compare
    .cause = { $code } on line { $line } assigns where a condition is expected.
    .repair = Write ==.
error-target-is-no-name = No name on the left of =
    .cause = = gives a name a value; { $target } on line { $line } is no name.
    .repair = Put the name on the left, or write == to compare.
error-print-without-brackets = Brackets around what is printed
    .cause = { $name } is a function in Python 3; line { $line } calls it without brackets.
    .repair = Write { $name }(...).
error-comma-missing = Two values without a comma
    .cause = On line { $line } two values stand side by side: { $piece }.
    .repair = Write a comma, or the operator you meant, between them; or close the bracket before.
error-colon-or-comma-missing = A colon or a comma is missing
    .cause = On line { $line } a text and a value stand side by side: { $piece }.
    .repair = In a dict write a colon after the key; in a list or a call write a comma.
error-text-open = A text is not closed
    .cause = The text that begins with { $quote } on line { $line } has no { $quote } at its end.
    .repair = Write { $quote } at the end of the text.
error-f-string-braces = The braces of an f-string do not fit
    .cause = In the f-string on line { $line } the expression in braces is not complete, or a brace is missing.
    .repair = Each value stands between an opening and a closing brace; a brace as text is written twice.
error-indent-unexpected = A line is indented too far
    .cause = Line { $line } is indented further than the line above it, and no line above opens a block.
    .repair = Begin it in the same column as the line above.
error-block-missing = The block below is missing
    .cause = { $head } on line { $where } ends with a colon, and line { $line } is not indented below it.
    .repair = Indent the lines that belong to it by four spaces; write pass for an empty block.
error-indent-between = A line is indented between two levels
    .cause = Line { $line } begins after { $own } spaces; the lines above begin after { $levels }.
    .repair = Give it the indent of the block it belongs to.
error-tabs-and-spaces = Tabs and spaces are mixed
    .cause = Line { $line } is indented with other characters than the lines around it; Python does not guess how wide a tab is.
    .repair = Use spaces only, four for each level.
error-return-outside-function = Only a function has this
    .cause = { $word } on line { $line } is outside of any def.
    .repair = Indent it into the function, or write the value or print(...) alone.
error-break-outside-loop = Only a loop has this
    .cause = { $word } on line { $line } is outside of any for or while.
    .repair = Indent it into the loop, or remove it.
error-number-with-zeros = A number begins with a zero
    .cause = Whole numbers have no zero at their start: { $code } on line { $line }.
    .repair = Leave the zeros out, or put the number into quotation marks as a text.
error-name-begins-with-digit = A name begins with a digit
    .cause = { $piece } on line { $line } begins with a digit, so Python reads a number.
    .repair = Begin the name with a letter.
error-product-without-sign = A product needs its sign
    .cause = { $piece } on line { $line } is no number and no name; a product is written with *.
    .repair = Write { $right }.
error-positional-after-keyword = A named argument comes too early
    .cause = On line { $line } an argument without a name follows one with a name.
    .repair = Put the arguments with a name last.
error-keyword-twice = An argument is given twice
    .cause = { $name } is named twice in one call on line { $line }.
    .repair = Leave one of the two out.
error-keyword-as-name = A word of Python as a name
    .cause = { $word } belongs to Python's grammar and cannot be the name of a variable on line { $line }.
    .repair = Choose another name, such as { $right }.
error-increment = Python has no { $sign }
    .cause = { $code } on line { $line } is not a statement of Python; a value is changed with += or -=.
    .repair = Write { $right }.
error-sign-of-another-language = A sign of another language
    .cause = Python has no { $sign } (line { $line }); it writes { $right }.
    .repair = Write { $right }.
error-branch-without-start = A branch without its beginning
    .cause = { $word } on line { $line } has no if, for, while or try before it in the same column.
    .repair = Begin { $word } in the same column as the line it belongs to, with no other line between the blocks.
error-module-by-number = A number is no attribute
    .cause = { $piece } is how torch prints the name of a layer; Python reads no number behind a dot.
    .repair = Write { $right }.
error-syntax-unknown = This line is not Python yet
    .cause = Python cannot read line { $line } from about column { $at } on: { $code }.
    .repair = Look there and at the end of the line above for a missing bracket, comma, colon, quotation mark or operator.
error-text-no-number-at = One entry is no number
    .cause = The entry { $text } at position { $position } cannot be read as a number.
    .repair = Write errors="coerce": such entries become NaN; then fillna or dropna.
error-text-no-date = One entry is no date
    .cause = The entry { $text } cannot be read as a date.
    .repair = Write errors="coerce": such entries become NaT, pandas' word for a missing date; then dropna.
error-dates-in-several-formats = The dates are not all written in one way
    .cause = pandas took the format { $format } from the first date, and { $text } does not fit it.
    .repair = Name the format that all of them have, such as format="%d/%m/%Y" where the day comes first. If they differ, format="mixed" reads each by itself, and errors="coerce" makes NaT of what is no date.
error-date-in-another-format = A date is not written as the format says
    .cause = { $text } does not fit the format { $format }.
    .repair = Change the format to what the texts have: %d is the day, %m the month, %Y the year with four digits. errors="coerce" makes NaT of what does not fit.
error-date-not-as-the-format = A date is not written as the format says
    .cause = { $text } does not fit the format { $format }.
    .repair = Change the format to what the text has: %d is the day, %m the month, %Y the year with four digits.
error-text-no-number = This text is no number
    .cause = { $text } cannot be read as a number: { $code }.
    .repair = Check what the text holds; remove units, commas and spaces before.
error-column-with-text = A text is no number
    .cause = { $text } is among the values that { $code } converts to numbers.
    .repair = pd.to_numeric(..., errors="coerce") makes NaN of it; for a file name such entries in na_values; for categories use get_dummies.
error-mean-of-text = A column of text has no { $function }
    .cause = { $code } goes over all columns, and one of them holds text.
    .repair = Write numeric_only=True, or select the numeric columns before.
error-column-missing = The table has no such column
    .cause = No column is called { $key }.{ $keys ->
        [none] {""}
       *[other] {" "}There are { $keys }{ $more ->
            [0] {""}
           *[other] {" "}and { $more } more
        }.
    }
    .repair = Print .columns: the names are exact, with capitals and spaces.
error-column-missing-near = A column in another spelling
    .cause = No column is called { $key }; { $keys ->
        [none] the program speaks of { $right }.
       *[other] there are { $keys }{ $more ->
            [0] {""}
           *[other] {" "}and { $more } more
        }.
    }
    .repair = Write { $right }.
error-key-missing = The dictionary has no such key
    .cause = { $key } is not among the keys of what { $code } reads.{ $keys ->
        [none] {""}
       *[other] {" "}There are { $keys }{ $more ->
            [0] {""}
           *[other] {" "}and { $more } more
        }.
    }
    .repair = Print its keys(), or ask with .get(...).
error-key-missing-near = A key in another spelling
    .cause = { $key } is not among the keys; { $keys ->
        [none] the program speaks of { $right }.
       *[other] there are { $keys }{ $more ->
            [0] {""}
           *[other] {" "}and { $more } more
        }.
    }
    .repair = Write { $right }.
error-drop-of-a-column = drop removes rows unless told
    .cause = drop without columns= looks for a row with the label { $key }, and { $key } is a column.
    .repair = Write drop(columns=...).
error-row-missing = The table has no such row
    .cause = .loc looks for the label { $key } among the row labels.
    .repair = Use .iloc for positions, or a label that is in .index.
error-number-as-column = A number is no column name
    .cause = [{ $key }] behind a table looks for a column or label with that name, not for a position.
    .repair = Write .iloc[{ $key }].
error-folder-not-here = The folder is not there
    .cause = { $file } lies in a folder { $folder } that the program has not made.
    .repair = Make it before: os.makedirs("{ $folder }", exist_ok=True).
error-file-near = A file in another spelling
    .cause = The program has written { $right }, not { $file }.
    .repair = Write { $right }.
error-file-not-here = The file is not there
    .cause = A program here sees the files in Files and those it writes itself; { $file } is neither.
    .repair = Drop it into Files (in the menu File; on the command line --file PATH). The program then opens it by its name, in whatever folder it looks for it.
error-file-not-in-folder = The file is not there
    .cause = { $file } is not in { $folder }, the folder in which the program looked for it.
    .repair = Check the name, or copy the file there.
error-file-cut-by-limit = The file is not whole
    .cause = Cell { $cell } reached the limit of files while it wrote, so the file ends early.
    .repair = Let cell { $cell } write the whole file first: what it says names the ways.
error-file-outside-folder = The file lies outside the open folder
    .cause = { $file } lies outside { $folder }, the only folder that the program may read.{ $names ->
        [none] {""}
       *[other] {" "}A similar name in it: { $names }.
    }
    .repair = { $repository ->
        [none] Open a folder that holds both the program and the file (--folder DIR; in the app in the settings menu), or copy the file into { $folder }.
       *[other] Open the repository: --folder { $repository } (in the app in the settings menu). Relative paths still start in the program's own folder.
    }
error-file-near-in-folder = The file is not there
    .cause = { $file } is not in { $folder }, the folder in which the program looked for it. A similar name there: { $names }.
    .repair = Check the name.
error-removed-from-pandas = pandas no longer has this
    .cause = { $name } was removed from pandas.
    .repair = Use { $instead }.
error-table-is-no-tensor = A table in place of a tensor
    .cause = { $base } is a pandas table; { $name } belongs to tensors.
    .repair = Make a tensor of it: torch.tensor(df.values).
error-table-attribute-missing = The table has no such column
    .cause = A { $type } has no column and no method called { $name }.
    .repair = Print .columns; a column whose name has spaces is reached as df["name"].
error-array-shape-in-two-arguments = The shape is one argument
    .cause = NumPy takes the shape as one tuple; the second argument { $value } was read as a dtype.
    .repair = Give the shape brackets of its own, as np.zeros((2, 3)) has them.
error-arrays-do-not-broadcast = Two shapes that do not broadcast
    .cause = { $first } and { $second } are compared from the right; sizes must agree or be 1.
    .repair = Check both shapes; reshape(-1, 1) makes a column.
error-arrays-do-not-multiply = The inner sizes differ
    .cause = In the product { $code } the left array has { COUNTED($first, "column", "columns") } and the right one { COUNTED($second, "row", "rows") }.
    .repair = Transpose one of them (.T), or check the order.
error-arrays-not-aligned = The inner sizes differ
    .cause = The product of shapes { $first } and { $second } needs the last size of the first to equal the first size of the second.
    .repair = Transpose one of them (.T), or check the order.
error-plot-lengths = x and y have different lengths
    .cause = x has the shape { $first } and y the shape { $second }. A line needs one y for each x.
    .repair = Print len of both just before this line. Often one list was filled before the loop or once more than the other; a cell that ran twice appends twice.
error-plot-sizes = x and y have different lengths
    .cause = scatter draws one point for each pair, so x and y need equally many values.
    .repair = Print the shapes of both just before this line, and index both with the same mask.
error-image-shape = This shape is not that of an image
    .cause = imshow got the shape { $shape }. It takes (height, width), or (height, width, channels) with 3 or 4 channels. PyTorch puts the channels first.
    .repair = Move the channels to the end with permute(1, 2, 0), or drop a batch or channel axis of size 1 with squeeze().
error-array-rows-of-different-length = The rows have different lengths
    .cause = An array is rectangular, and the lists in { $code } are not of one length.
    .repair = Give all rows the same length.
error-array-element-from-sequence = A list where one number belongs
    .cause = { $code } has room for one number, and is given several.
    .repair = Give one number, or choose a slice of the right length.
error-array-reshape = The number of entries differs
    .cause = { COUNTED($size, "entry", "entries") } do not fill the shape { $shape }.
    .repair = Choose a shape whose sizes multiply to { $size }; -1 lets NumPy find one of them.
error-array-index = A position outside the array
    .cause = Axis { $axis } has { COUNTED($size, "entry", "entries") }, and position { $index } is not among them.
    .repair = Positions begin at 0; the last one is the size minus 1.
error-array-axis = The array has fewer axes
    .cause = The array has { COUNTED($rank, "axis", "axes") }, and axis { $axis } is not among them; axes are counted from 0.
    .repair = Choose a smaller axis, or -1 for the last.
error-truth-of-array = Many truth values for one if
    .cause = { $code } has one truth value for each entry; if, and, or need a single one.
    .repair = Write .any() or .all(); join conditions with & and |.
error-array-keeps-its-dtype = The array keeps its dtype
    .cause = Writing in place cannot turn { $kept } into { $made }: { $code }.
    .repair = Write a = a + ... in place of a += ..., or make the array with dtype=float.
error-arrays-do-not-concatenate = The arrays do not fit together
    .cause = All arrays in { $code } need the same number of axes and, except on the joined axis, the same sizes.
    .repair = Compare their shapes; reshape(1, -1) makes a row.
error-missing-values-to-integer = NaN is no whole number
    .cause = There are missing values, and integers have no NaN: { $code }.
    .repair = Use fillna(...) or dropna() before, or keep float.
error-columns-of-different-length = The columns have different lengths
    .cause = Every column of a table has one entry for each row; the lists in { $code } differ in length.
    .repair = Give all columns the same length.
error-column-of-another-length = The column has another length
    .cause = The table has { COUNTED($rows, "row", "rows") }, and the new column { COUNTED($given, "value", "values") }.
    .repair = Give as many values as there are rows.
error-table-position = A position outside the table
    .cause = .iloc in { $code } asks for a row or column that the table does not have; positions begin at 0.
    .repair = Check .shape.
error-file-is-empty = The file has nothing in it
    .cause = { $code } found no columns: the file is empty, or it was not closed after writing.
    .repair = Write into it within `with open(...) as f:`, which closes the file.
error-file-row-too-long = A row has more fields
    .cause = Line { $row } of the file has { $given } fields, where { $wanted } were expected.
    .repair = Check the commas in that line, or give sep=.
error-merge-without-common-column = No column is in both tables
    .cause = merge joins by a column of the same name, and { $code } has none.
    .repair = Name the columns: left_on=, right_on=.
error-bytes-are-no-text = These bytes are no such text
    .cause = The file or the bytes in { $code } were not written as { $encoding }.
    .repair = Name the encoding they have, for example encoding="gbk" or "latin-1".
error-init-misspelt = __init__ is misspelt
    .cause = Python calls only __init__ when a { $class } is made. Line { $line } writes { $written }, so it never ran and self.{ $name } was never set.
    .repair = Write __init__ with two underscores on each side, also behind super().
error-values-compared-as-wholes = Compared as wholes
    .cause = { $left } and { $right } are lists, so == compares them as wholes and gives a single bool; { $name } belongs to tensors.
    .repair = Make both tensors first: torch.tensor({ $left }) == torch.tensor({ $right }) compares entry by entry.
error-key-read-as-attribute = A key is not an attribute
    .cause = { $base } is a dict; what it holds is read by its key in square brackets, not behind a dot.
    .repair = Write { $right }.
error-attribute-without-self = A local name of __init__
    .cause = { $name } is assigned on line { $where } as a local name of __init__, which ends with it; { $method }() on line { $line } cannot see it.
    .repair = Make it an attribute: write self.{ $name } in both places.
error-enumerate-gives-pairs = enumerate gives pairs
    .cause = enumerate gives two values each time: the number, here { $number }, and one example with all that belongs to it.
    .repair = Put brackets around the rest: { $number }, ({ $rest }).
error-size-was-divided = A size is a float
    .cause = { $name } in { $code } was computed on line { $line } with / : { $made } is a float also where it comes out even, and sizes are whole numbers.
    .repair = Divide with //.
error-label-or-key-missing = No such label or key
    .cause = { $code } asks for { $key }, which is neither a label nor a key there. A Series or a table is asked by the labels of its rows, and after a filter or a split these are no longer 0, 1, 2 and so on.
    .repair = Ask by position with .iloc[...], or renumber the rows with reset_index(drop=True); of a dict, print its keys().
error-tuple-for-tensor = A tuple in place of a tensor
    .cause = { $function }() computes with one tensor, and its argument { $name } is a Python tuple here: several values in one. Layers such as LSTM or attention, and functions that return several values, give such a tuple.
    .repair = Take the one that is meant, as in value[0], or give each a name of its own.
error-name-of-init = The name lives inside __init__
    .cause = { $name } is assigned on line { $where } as a local name of __init__, which ends with it; line { $line } cannot see it.
    .repair = Keep it in the object: self.{ $name } = ... in __init__, and read it behind the object's name and a dot.
error-parameter-of-init = A parameter of __init__ alone
    .cause = { $name } is a parameter of __init__ (line { $where }) and known only there; line { $line } reads it in another method.
    .repair = Keep it in __init__ with self.{ $name } = { $name }, and read self.{ $name }.
error-parameter-of-a-function = A parameter of another function
    .cause = { $name } is a parameter of { $function }() (line { $where }) and known only inside it; line { $line } reads it elsewhere.
    .repair = Hand it on as an argument, or give the name a value where it is read.
error-none-of-the-library = torch has nothing there
    .cause = { $piece } is None here: torch itself says so. A torch without CUDA, for example, has no torch.version.cuda.
    .repair = Ask first whether { $piece } is None, or leave the line out.
error-attribute-kept-local = self. is missing in __init__
    .cause = Line { $line } assigns { $name } in __init__ without self., so it is gone when __init__ ends: objects of { $class } have no { $name }.
    .repair = Write self.{ $name } there.
error-self-forgotten = self. is missing
    .cause = Line { $line } reads { $name } in { $method }, and the class keeps it as self.{ $name }.
    .repair = Write self.{ $name }.
error-zero-grad-of-a-result = Gradients are cleared at the parameters
    .cause = { $base } is a computed tensor and has no zero_grad(). Gradients gather in the parameters, not in the loss.
    .repair = Call zero_grad() of the optimizer or of the module before backward().
error-array-plus-tensor = A NumPy array plus a tensor
    .cause = In { $code } a NumPy array stands before + and a tensor after it; NumPy does not add them.
    .repair = Make the array a tensor with torch.from_numpy(...): then gradients pass through the sum. Or make both arrays with .detach().numpy().
error-array-function-of-tensor = A function of NumPy gets a tensor
    .cause = { $code } hands the tensor's own method { $function }() the argument { $name }, as arrays take it; tensors do not.
    .repair = Use the tensor's own method or torch's function; or make it an array first with .detach().numpy().
