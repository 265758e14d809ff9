# Dtypes, devices, arguments and files: a title, the cause, the change.

error-product-dtypes = Two dtypes in one product
    .cause = { $left } is { $left_dtype } with shape { $left_shape }, { $right } is { $right_dtype } with shape { $right_shape }. A product does not convert them.
    .repair = Convert one with .float() or .double(), so that both have one dtype.
error-layer-dtype = Input and weights differ in dtype
    .cause = The weights of { $layer } are { $weight_dtype }, its input is { $input_dtype }.
    .repair = Convert the input to { $weight_dtype }{ $input_dtype ->
        [float64] . NumPy arrays are float64 by default.
        [float16] , or the layer to float16.
        [bfloat16] , or the layer to bfloat16.
        [float32] , or the layer to float32.
       *[other] .
    }
error-inplace-dtype = An in-place result of another dtype
    .cause = { $code } gives { $result }, but must be written into { $target }, which is { $dtype } and stays so.
    .repair = Make a new tensor: a = a + b; or make the tensor of floats from the start.
error-target-not-float = The target must be floats
    .cause = { $target } is { $dtype }; this loss compares it with scores of { $scores_dtype }.
    .repair = Convert the target with .float().
error-target-dtype = Class indices must be int64
    .cause = { $target } is { $dtype }; class numbers are int64 (or uint8).
    .repair = Convert the target with .long().
error-target-of-fractions = Targets that are no class numbers
    .cause = { $target } is { $dtype } and holds fractions; the loss takes the number of a class for each row of scores.
    .repair = To predict numbers use mse_loss; to learn classes give their numbers as int64; for probabilities of all classes give the target the shape of the scores.
error-floats-needed = { $function } needs floats
    .cause = { $tensor } is { $dtype }, and { $function } is defined for floats.
    .repair = Convert it first with .float().
error-random-whole = These random numbers are floats
    .cause = { $code } asks for whole numbers of a distribution that has fractions.
    .repair = Leave the dtype out, or draw whole numbers with torch.randint.
error-minus-of-mask = A mask is inverted with ~
    .cause = { $code } puts a minus before booleans, for which it is not defined.
    .repair = Invert the mask with ~.
error-difference-of-masks = Booleans are not subtracted
    .cause = { $code } subtracts with booleans, for which minus is not defined.
    .repair = Convert with .int() for numbers, or use ^ for "differs".
error-bits-of-floats = { $operator } is not for floats
    .cause = { $code } joins floats bit by bit; { $operator } is for booleans and whole numbers.
    .repair = Compare first, in brackets: (x > 0) { $operator } (y > 0).
error-mask-brackets = Comparisons need brackets beside { $operator }
    .cause = { $operator } binds more tightly than comparisons, so { $code } is worked out first, and with floats.
    .repair = Put each comparison in brackets.
error-invert-floats = ~ is for masks
    .cause = { $code } inverts { $dtype }; ~ is for booleans and whole numbers.
    .repair = Compare first to get a mask, or use − for the negative.
error-order-of-complex = Complex numbers have no order
    .cause = { $code } asks which number is larger; complex numbers are not ordered.
    .repair = Use .abs(), .real or .imag.
error-embedding-dtype = Embedding needs whole numbers
    .cause = { $index } is { $dtype }; each entry is the number of a row in the table.
    .repair = Convert it with .long().
error-one-hot-dtype = one_hot needs int64
    .cause = { $tensor } is { $dtype }; classes are numbered in int64.
    .repair = Convert it with .long().
error-one-hot-range = A class beyond num_classes
    .cause = { $tensor } contains a class that is not below num_classes; classes count from 0.
    .repair = Make num_classes the largest class plus 1.
error-one-hot-negative = A negative class
    .cause = { $tensor } contains a negative number; classes count from 0.
    .repair = Number the classes from 0.
error-index-dtype = The index must be whole numbers
    .cause = The index of { $function } is { $dtype }; positions are int64.
    .repair = Convert it with .long().
error-assign-dtype = Assigned values of another dtype
    .cause = { $place } is { $dtype }, the values are { $value_dtype }. Through a list or mask of positions they are not converted.
    .repair = Convert the values, for instance with .to(a.dtype).
error-mask-dtype = A mask must be booleans
    .cause = The mask of { $function } is { $dtype }; it must say True or False for each entry.
    .repair = Compare to get booleans, or convert with .bool().
error-tensor-of-text = Text cannot be a tensor
    .cause = { $code } contains text; tensors hold numbers and booleans.
    .repair = Turn the text into numbers first, for instance one number per word.
error-tensor-of-number-texts = Numbers written as text
    .cause = { $code } contains numbers in quotes; those are text for Python.
    .repair = Convert each with float(), or leave the quotes out.
error-tensor-of-reset = reset() returns more than the state
    .cause = In gym since version 0.26, and in gymnasium, env.reset() returns the state and a dictionary: { $code } seems to receive both.
    .repair = Write state, info = env.reset(); step() returns five values now: state, reward, terminated, truncated, info.
error-ragged = Rows of different lengths
    .cause = In { $code } one row has { COUNTED($length, "entry", "entries") }, another { $got }; the rows of a tensor are equally long.
    .repair = Give all rows the same length, for instance by padding with 0.
error-mixed-depth = Numbers and lists side by side
    .cause = In { $code } a number is beside a list; entries along one axis must all be lists or all numbers.
    .repair = Give all entries the same depth.
error-tensor-of-none = None is not a number
    .cause = { $code } contains None ({ $given }); a tensor holds numbers. A function without return gives None.
    .repair = Put a number there, such as float("nan"), or find out where None comes from.
error-tensor-of-object = No numbers to make a tensor of
    .cause = { $code } was given a { $given }; a tensor is made of numbers, lists of them, or arrays.
    .repair = Pass numbers, for instance list(d.values()) for a dict.
error-tensor-of-frame = A table of pandas is no list
    .cause = { $code } was given a { $given }; torch cannot read its shape.
    .repair = Pass its numbers: torch.tensor(df.values), with numeric columns only.
error-array-of-text = An array of text
    .cause = { $code } was given a NumPy array of text; tensors hold numbers.
    .repair = Convert it first: a.astype(float) for numbers in quotes.
error-array-of-objects = An array of mixed objects
    .cause = { $code } was given a NumPy array of dtype object: its entries are not all numbers of one kind, but for example also text, booleans, lists or None.
    .repair = Keep the numeric columns only, encode the others, then .astype(float).
error-array-of-dummies = Dummies are booleans beside floats
    .cause = { $made } on line { $line } makes columns of booleans; beside floats, the array for { $code } becomes one of objects.
    .repair = Ask for floats: get_dummies(..., dtype=float).
error-overflow = A number beyond the dtype
    .cause = { $code } puts a number into { $dtype } that lies outside its range { $dtype ->
        [uint8] 0…255
        [int8] −128…127
        [int16] −32768…32767
       *[int32] −2147483648…2147483647
    }.
    .repair = Use a larger dtype, such as torch.int64.
error-overflow-of-int64 = A number beyond int64
    .cause = { $code } has a whole number beyond 2^63 − 1, the largest of int64.
    .repair = Store it as a float: dtype=torch.float64.
error-from-numpy = from_numpy takes arrays
    .cause = { $code } was given a { $given }; from_numpy shares the memory of a NumPy array.
    .repair = Use torch.tensor for lists and numbers.
error-negative-stride = An array that runs backward
    .cause = The array in { $code } is a reversed view; tensors have no negative strides.
    .repair = Copy it first with .copy().
error-dtype-not-torch = A dtype of torch is wanted
    .cause = In { $code } the dtype is given as { $given }, not as a dtype of torch.
    .repair = Write torch.float32 without quotes.
error-no-gpu = No graphics card here
    .cause = { $code } needs a graphics card; programs here run on the processor.
    .repair = Use the CPU: leave out .cuda(), or choose device="cpu".
error-no-mps = No Apple graphics here
    .cause = { $code } needs the mps device of a Mac; programs here run on the processor.
    .repair = Use the CPU: device="cpu".
error-device-name = No device of that name
    .cause = { $code } names the device { $name }; torch knows cpu, cuda, mps and a few others. Here there is only cpu.
    .repair = Write "cpu".
error-meta-data = A meta tensor has no numbers
    .cause = { $code } needs numbers, but a tensor lies on the device meta: it has a shape and no entries.
    .repair = Make the tensor on the CPU.
error-dtype-not-in-numpy = NumPy has no such dtype
    .cause = { $code } asks for a NumPy array of { $dtype }, a dtype that torch has and NumPy has not.
    .repair = Convert it first, for instance with .float().
error-sparse-not-taken = A sparse tensor is not taken here
    .cause = { $code } needs every entry in its place; a sparse tensor keeps only those that are not zero, with their positions.
    .repair = Make it dense first: .to_dense().
error-entries-past-counting = More entries than can be stored
    .cause = The sizes in { $code } multiply to more entries than any memory has bytes.
    .repair = Choose smaller sizes; expand() repeats entries without storing them.
error-beyond = Not explained
    .cause = Of the errors of a program the first { $most } are explained. This one and those after it are not.
    .repair = Mend the first ones, then run again.
error-array-of-lists = Rows of different lengths
    .cause = { $code } was given an array of dtype object: its rows have different lengths ({ $lengths }), so they make no table of numbers.
    .repair = Pad them to one length, as torch.nn.utils.rnn.pad_sequence does for a list of tensors.
error-embedding-of-a-layers-result = Embedding is given a layer's result
    .cause = { $layer } takes the numbers of rows, and is given what { $made } gives: { $dtype }.
    .repair = Let the numbers go into one embedding only; behind it comes a layer for floats, such as Linear or an RNN.
error-array-of-one-object = NumPy does not go through this
    .cause = NumPy makes one single entry of { $given }: it is no list, and array() does not go through it. So the array has dtype object.
    .repair = Make a list of it first: list({ $given }).
error-tensor-called = A tensor is called like a function
    .cause = { $base } is a tensor; round brackets call a function, square brackets pick entries.
    .repair = Write { $base }[{ $inside }] to pick entries, or put an operator such as * before the bracket.
error-property-called = No brackets after this attribute
    .cause = { $base } is a tensor already, not a method; the brackets try to call that tensor.
    .repair = Write { $base }.
error-shape-called = shape is no method
    .cause = shape is an attribute that holds the sizes; the round brackets after { $base } call it like a function.
    .repair = Write { $right }.
error-list-for-tensor = A list in place of a tensor
    .cause = { $function }() computes with tensors; its argument { $name } is a Python { $given } here ({ $wanted } is expected).
    .repair = Make it a tensor: torch.tensor(...), or torch.stack(...) for a list of tensors.
error-tuple-for-tensor = A tuple in place of a tensor
    .cause = { $function }() computes with one tensor, and its argument { $name } is a Python tuple here: several values in one. Layers such as LSTM or attention, and functions that return several values, give such a tuple.
    .repair = Take the one that is meant, as in value[0], or give each a name of its own.
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
error-size-was-divided = A size is a float
    .cause = { $name } in { $code } was computed on line { $line } with / : { $made } is a float also where it comes out even, and sizes are whole numbers.
    .repair = Divide with //.
error-sizes-of-another-type = Sizes are whole numbers
    .cause = A size in { $code } is a { $type }.
    .repair = Write whole numbers; a length computed with / needs //.
error-zero-grad-of-a-result = Gradients are cleared at the parameters
    .cause = { $base } is a computed tensor and has no zero_grad(). Gradients gather in the parameters, not in the loss.
    .repair = Call zero_grad() of the optimizer or of the module before backward().
error-tensor-attribute-of-another-library = Tensors have another name for this
    .cause = Tensors have no { $name }; other libraries do. What does this for the tensor { $base } is { $instead }.
    .repair = Use { $instead }.
error-tensor-of-several-values = Several values need one list
    .cause = torch.tensor takes one value: the whole list. The second number in { $code } is an argument too many.
    .repair = Put square brackets around the numbers.
error-file-not-here = The file is not there
    .cause = A program here sees the files in Files and those it writes itself; { $file } is neither.
    .repair = Drop it into Files (in the menu File; on the command line --file PATH). The program then opens it by its name, in whatever folder it looks for it.
error-file-outside-folder = The file lies outside the open folder
    .cause = { $file } lies outside { $folder }, the only folder that the program may read.
    .repair = { $repository ->
        [system] It tells of the machine, which programs here do not see: do without this call.
        [none] Open a folder that holds both the program and the file (--folder DIR; in the app in the settings menu), or copy the file into { $folder }.
       *[other] Open the repository: --folder { $repository } (in the app in the settings menu). Relative paths still start in the program's own folder.
    }
error-method-not-called = A method without its brackets
    .cause = { $piece } is the method itself, not its result.
    .repair = Write { $piece }().
