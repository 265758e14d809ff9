# Dtypes, devices, arguments and files: a title, the cause, the change.

error-product-dtypes = Different dtypes in one product
    .cause = { $left } is { $left_dtype } with shape { $left_shape }, { $right } is { $right_dtype } with shape { $right_shape }. A product does not convert dtypes.
    .repair = Convert one with .float() or .double(), so that both have the same dtype.
error-layer-dtype = Input and weights differ in dtype
    .cause = The weights of { $layer } are { $weight_dtype }, but its input is { $input_dtype }.
    .repair = Convert the input to { $weight_dtype }{ $input_dtype ->
        [float64] . NumPy arrays are float64 by default.
        [float16] , or the layer to float16.
        [bfloat16] , or the layer to bfloat16.
        [float32] , or the layer to float32.
       *[other] .
    }
error-inplace-dtype = The in-place result has a different dtype
    .cause = The result of { $code } is { $result }, but it must be stored in { $target }, whose dtype { $dtype } cannot change.
    .repair = Create a new tensor with a = a + b, or create the tensor with a float dtype from the start.
error-target-not-float = The target must contain floats
    .cause = { $target } is { $dtype }, but this loss compares it with { $scores_dtype } scores.
    .repair = Convert the target with .float().
error-target-dtype = Class indices must be int64
    .cause = { $target } is { $dtype }, but class indices must be int64 (or uint8).
    .repair = Convert the target with .long().
error-target-of-fractions = Targets are not class indices
    .cause = { $target } is { $dtype } and contains fractions, but the loss takes one class index per row of scores.
    .repair = To predict numbers, use mse_loss. To learn classes, pass int64 class indices. For probabilities of all classes, use a target with the shape of the scores.
error-floats-needed = { $function } needs floats
    .cause = { $tensor } is { $dtype }, but { $function } is defined for floats.
    .repair = Convert it first with .float().
error-random-whole = These random numbers are floats
    .cause = { $code } requests a whole-number dtype from a distribution of fractions.
    .repair = Remove the dtype, or draw whole numbers with torch.randint.
error-minus-of-mask = Use ~ to invert a mask
    .cause = { $code } negates booleans, which is not defined.
    .repair = Invert the mask with ~.
error-difference-of-masks = Booleans cannot be subtracted
    .cause = { $code } subtracts booleans, which is not defined.
    .repair = Convert with .int() for numbers, or use ^ for "differs".
error-bits-of-floats = { $operator } is not for floats
    .cause = { $code } combines floats bit by bit, but { $operator } is for booleans and whole numbers.
    .repair = Compare first, in parentheses: (x > 0) { $operator } (y > 0).
error-mask-brackets = Comparisons next to { $operator } need parentheses
    .cause = { $operator } binds more tightly than comparisons, so { $code } is evaluated first, with floats.
    .repair = Put each comparison in parentheses.
error-invert-floats = ~ is for masks
    .cause = { $code } inverts { $dtype }, but ~ is for booleans and whole numbers.
    .repair = Compare first to get a mask, or use − for the negative.
error-order-of-complex = Complex numbers have no order
    .cause = { $code } compares sizes, but complex numbers are not ordered.
    .repair = Use .abs(), .real or .imag.
error-embedding-dtype = Embedding needs whole numbers
    .cause = { $index } is { $dtype }, but each entry must be a row number of the table.
    .repair = Convert it with .long().
error-one-hot-dtype = one_hot needs int64
    .cause = { $tensor } is { $dtype }, but class indices must be int64.
    .repair = Convert it with .long().
error-one-hot-range = A class beyond num_classes
    .cause = { $tensor } contains a class that is not below num_classes. Classes count from 0.
    .repair = Set num_classes to the largest class plus 1.
error-one-hot-negative = A negative class
    .cause = { $tensor } contains a negative number, but classes count from 0.
    .repair = Number the classes from 0.
error-index-dtype = The index must contain whole numbers
    .cause = The index of { $function } is { $dtype }, but positions must be int64.
    .repair = Convert it with .long().
error-assign-dtype = The assigned values have a different dtype
    .cause = { $place } is { $dtype }, but the values are { $value_dtype }. Assigning through a list or mask of positions does not convert them.
    .repair = Convert the values, for example with .to(a.dtype).
error-mask-dtype = A mask must contain booleans
    .cause = The mask of { $function } is { $dtype }, but it needs True or False for each entry.
    .repair = Compare to get booleans, or convert with .bool().
error-tensor-of-text = A tensor cannot contain text
    .cause = { $code } contains text, but tensors hold numbers and booleans.
    .repair = Convert the text to numbers first, for example one number per word.
error-tensor-of-number-texts = Numbers written as text
    .cause = { $code } contains numbers in quotes, which are text in Python.
    .repair = Convert each with float(), or remove the quotes.
error-tensor-of-reset = reset() returns more than the state
    .cause = In gym since version 0.26, and in gymnasium, env.reset() returns the state and a dictionary: { $code } seems to receive both.
    .repair = Write state, info = env.reset(). step() now returns five values: state, reward, terminated, truncated, info.
error-ragged = Rows of different lengths
    .cause = In { $code } one row has { COUNTED($length, "entry", "entries") }, another has { $got }. All rows of a tensor must have the same length.
    .repair = Give all rows the same length, for example by padding with 0.
error-mixed-depth = Numbers and lists are mixed
    .cause = In { $code } a number is next to a list, but entries along one axis must all be lists or all numbers.
    .repair = Nest all entries equally deep.
error-tensor-of-none = None is not a number
    .cause = { $code } contains None ({ $given }), but a tensor holds numbers. A function without return returns None.
    .repair = Use a number instead, such as float("nan"), or find the code that returned None.
error-tensor-of-object = This can't be converted to a tensor
    .cause = { $code } got a { $given }, but a tensor is created from numbers, lists of numbers, or arrays.
    .repair = Pass numbers, for example list(d.values()) for a dict.
error-tensor-of-frame = A pandas table is not a list
    .cause = { $code } got a { $given }, whose shape torch cannot read.
    .repair = Pass its values: torch.tensor(df.values), with numeric columns only.
error-array-of-text = An array of text
    .cause = { $code } got a NumPy array of text, but tensors hold numbers.
    .repair = Convert it first: a.astype(float) for numbers in quotes.
error-array-of-objects = An array of mixed objects
    .cause = { $code } got a NumPy array of dtype object. Not all of its entries are numbers of one kind. Some may be text, booleans, lists or None.
    .repair = Keep only numeric columns or encode the others, then call .astype(float).
error-array-of-dummies = Dummy columns are booleans, not floats
    .cause = { $made } on line { $line } creates boolean columns. Combined with floats, the array for { $code } gets dtype object.
    .repair = Request floats: get_dummies(..., dtype=float).
error-overflow = A number is out of range for the dtype
    .cause = { $code } stores a number in { $dtype } that is outside its range { $dtype ->
        [uint8] 0…255
        [int8] −128…127
        [int16] −32768…32767
       *[int32] −2147483648…2147483647
    }.
    .repair = Use a larger dtype, such as torch.int64.
error-overflow-of-int64 = A number is out of range for int64
    .cause = { $code } has a whole number above 2^63 − 1, the largest int64.
    .repair = Store it as a float: dtype=torch.float64.
error-from-numpy = from_numpy takes arrays
    .cause = { $code } got a { $given }, but from_numpy shares the memory of a NumPy array.
    .repair = Use torch.tensor for lists and numbers.
error-negative-stride = The array is reversed
    .cause = The array in { $code } is a reversed view, but tensors have no negative strides.
    .repair = Copy it first with .copy().
error-dtype-not-torch = A torch dtype is expected
    .cause = In { $code } the dtype is { $given }, not a torch dtype.
    .repair = Write torch.float32 without quotes.
error-no-gpu = No GPU here
    .cause = { $code } needs a GPU, but programs here run on the CPU.
    .repair = Use the CPU: remove .cuda(), or choose device="cpu".
error-no-mps = No Apple GPU here
    .cause = { $code } needs the mps device of a Mac, but programs here run on the CPU.
    .repair = Use the CPU: device="cpu".
error-device-name = Unknown device
    .cause = { $code } names the device { $name }. torch has cpu, cuda, mps and a few others, but only cpu is available here.
    .repair = Write "cpu".
error-meta-data = A meta tensor has no values
    .cause = { $code } needs values, but a tensor is on the device meta: it has a shape but no entries.
    .repair = Create the tensor on the CPU.
error-dtype-not-in-numpy = NumPy has no such dtype
    .cause = { $code } needs a NumPy array of { $dtype }, a dtype that torch has but NumPy does not.
    .repair = Convert it first, for example with .float().
error-sparse-not-taken = Sparse tensors are not supported here
    .cause = { $code } needs every entry, but a sparse tensor stores only the nonzero entries and their positions.
    .repair = Convert it first with .to_dense().
error-entries-past-counting = More entries than can be stored
    .cause = The sizes in { $code } multiply to more entries than any memory can hold.
    .repair = Use smaller sizes. expand() repeats entries without storing them.
error-beyond = Not explained
    .cause = Only the first { $most } errors of a program are explained. This error is not among them.
    .repair = Fix the first errors, then run again.
error-array-of-lists = Rows of different lengths
    .cause = { $code } got an array of dtype object. Its rows have different lengths ({ $lengths }), so they don't form a table of numbers.
    .repair = Pad them to one length, for example with torch.nn.utils.rnn.pad_sequence for a list of tensors.
error-embedding-of-a-layers-result = Embedding got a layer's result
    .cause = { $layer } takes row numbers, but got the result of { $made }: { $dtype }.
    .repair = Pass the row numbers to one embedding only, followed by a layer for floats, such as Linear or an RNN.
error-array-of-one-object = NumPy does not iterate over this
    .cause = NumPy turns { $given } into a single entry: it is not a list, and array() does not iterate over it. So the array has dtype object.
    .repair = Convert it to a list first: list({ $given }).
error-tensor-called = A tensor is called like a function
    .cause = { $base } is a tensor. Parentheses call a function, square brackets select entries.
    .repair = Write { $base }[{ $inside }] to select entries, or put an operator such as * before the parenthesis.
error-property-called = No parentheses after this attribute
    .cause = { $base } is already a tensor, not a method. The parentheses try to call that tensor.
    .repair = Write { $base }.
error-shape-called = shape is not a method
    .cause = shape is an attribute that holds the sizes, but the parentheses after { $base } call it like a function.
    .repair = Write { $right }.
error-list-for-tensor = A list instead of a tensor
    .cause = { $function }() computes with tensors, but its argument { $name } is a Python { $given } here (expected: { $wanted }).
    .repair = Convert it with torch.tensor(...), or torch.stack(...) for a list of tensors.
error-tuple-for-tensor = A tuple instead of a tensor
    .cause = { $function }() computes with one tensor, but its argument { $name } is a Python tuple here. Layers such as LSTM or attention, and functions with several results, return such a tuple.
    .repair = Use the entry you need, as in value[0], or unpack the tuple into separate names.
error-number-for-tensor = A number instead of a tensor
    .cause = { $function }() computes with tensors, but its argument { $name } is a Python { $given } here (expected: { $wanted }).
    .repair = Use torch.tensor(...), or Python's own function for numbers.
error-array-for-tensor = A NumPy array instead of a tensor
    .cause = The argument { $name } of { $function }() is a { $given } (expected: { $wanted }).
    .repair = Use torch.from_numpy(...), with .float() if the weights are float32.
error-none-for-tensor = None instead of a tensor
    .cause = The argument { $name } of { $function }() is None ({ $given }), but { $wanted } is expected. The code that should have created it returned nothing.
    .repair = Check the line that creates it. A return or a backward() may be missing.
error-whole-number-wanted = A whole number is expected
    .cause = The argument { $name } of { $function }() must be a whole number ({ $wanted }), but it is a { $given }.
    .repair = Use a whole number: int(...), or // instead of /.
error-sizes-wanted = Sizes must be whole numbers
    .cause = { $function }() takes whole numbers as { $name } ({ $wanted }), but here a value is a { $given }.
    .repair = Use whole numbers, such as (2, 3). To compute a length, use // instead of /.
error-arguments-do-not-fit = The arguments don't match the function
    .cause = { $function }() got ({ $given }). One of its signatures is ({ $wanted }).
    .repair = Check the number, order and types of the arguments in { $code }.
error-size-was-divided = A size is a float
    .cause = { $name } in { $code } was computed on line { $line } with / : { $made } is a float even without a remainder, but sizes are whole numbers.
    .repair = Divide with //.
error-sizes-of-another-type = Sizes must be whole numbers
    .cause = A size in { $code } is a { $type }.
    .repair = Use whole numbers. To compute a length, use // instead of /.
error-zero-grad-of-a-result = zero_grad() belongs to the parameters
    .cause = { $base } is a computed tensor and has no zero_grad(). Gradients accumulate in the parameters, not in the loss.
    .repair = Call zero_grad() on the optimizer or the module before backward().
error-tensor-attribute-of-another-library = Tensors use a different name for this
    .cause = Tensors have no { $name }, unlike objects of other libraries. The equivalent for the tensor { $base } is { $instead }.
    .repair = Use { $instead }.
error-tensor-of-several-values = Several values need one list
    .cause = torch.tensor takes a single value: the whole list. The second number in { $code } is an extra argument.
    .repair = Put square brackets around the numbers.
error-file-not-here = File not found
    .cause = A program here sees only the files in Files and files it writes itself. { $file } is neither.
    .repair = Add it under File > Files (or with --file PATH on the command line). The program can then open it by name from any folder.
error-file-outside-folder = The file is outside the open folder
    .cause = { $file } is outside { $folder }, the only folder that the program may read.
    .repair = { $repository ->
        [system] Remove this call. It reads information about the machine, which programs here cannot see.
        [none] Open a folder that contains both the program and the file (--folder DIR, or the settings menu in the app), or copy the file into { $folder }.
       *[other] Open the repository: --folder { $repository } (or the settings menu in the app). Relative paths still start in the program's own folder.
    }
error-method-not-called = A method without parentheses
    .cause = { $piece } is the method itself, not its result.
    .repair = Write { $piece }().
error-quantile-dtype = A quantile needs floats
    .cause = { $function } interpolates between entries, but { $tensor } is { $dtype }.
    .repair = Convert it first with .float().
