# Names that have no value, and attributes, arguments and packages that do not exist.

error-name-not-imported = An import is missing
    .cause = Line { $line } uses { $name }, but nothing has imported or defined it.
    .repair = Add the usual import: { $import }{ $others ->
        [0] .
        [1] , and the other one that is missing.
       *[other] , and the { $others } others that are missing.
    }
error-name-too-early = { $name } is used before it is defined
    .cause = { $cell ->
        [0] Line { $where } defines { $name }, but line { $runs } needs it before that.
       *[other] Line { $where } of cell { $cell } defines { $name }, but this cell runs before that.
    }
    .repair = { $cell ->
        [0] { $loop ->
            [0] Define it above line { $runs }.
           *[other] Give it a starting value before the loop on line { $loop }.
        }
       *[other] Cells run from top to bottom. Move the definition to an earlier cell.
    }
error-name-needs-itself = { $name } has no value yet
    .cause = Line { $where } gives { $name } its first value, but already needs a value of { $name } to compute it.
    .repair = Give { $name } a starting value on an earlier line.
error-name-not-reached = { $name } has no value yet
    .cause = { $cell ->
        [0] Line { $where }
       *[other] Line { $where } of cell { $cell }
    } assigns { $name } inside the { $block } block that begins on line { $start }, but that assignment never happened.{ $count ->
        [1] {""}
       *[other] {" "}Neither did any earlier one.
    }
    .repair = { $block ->
        [def] Call that function first, or assign { $name } outside it.
       *[other] Assign { $name } before the block, so that it always has a value.
    }
error-name-of-empty-loop = The loop never ran
    .cause = { $cell ->
        [0] The for loop on line { $where }
       *[other] The for loop on line { $where } of cell { $cell }
    } assigns { $name }, but it had nothing to loop over.
    .repair = Check what it loops over, or assign { $name } before the loop.
error-name-after-error = { $name } is missing because of an earlier error
    .cause = { $stopped ->
        [0] Line { $where } of cell { $cell } defines { $name }, but that cell did not run.
       *[other] Line { $where } of cell { $cell } defines { $name }, but that cell stopped on line { $stopped }.
    }
    .repair = Fix that error first.
error-name-of-exception = { $name } ends with its except block
    .cause = Python deletes { $name } at the end of the except block that begins on line { $where }.
    .repair = Use it inside the block, or keep it under another name there: error = { $name }.
error-name-deleted = { $name } was deleted
    .cause = { $cell ->
        [0] Line { $where }
       *[other] Line { $where } of cell { $cell }
    } deleted { $name } with del.
    .repair = Remove that del, or use { $name } before it.
error-name-of-the-object = { $name } belongs to the object
    .cause = Class { $class } defines { $name } on line { $where }. Inside its methods, it is called { $attribute }.
    .repair = Write { $attribute }.
error-name-in-torch = { $name } needs its module
    .cause = Nothing defines { $name } on its own. It is part of torch: { $full }.
    .repair = Write { $full }.
error-name-in-a-function = { $name } exists only inside a function
    .cause = { $count ->
        [1] { $name } is local to the function { $function }: it exists only while that function runs.
       *[other] { $name } is local to { $count } functions, such as { $function }: it exists only while they run.
    }
    .repair = Return the value from the function, or define { $name } outside.
error-name-in-a-class = { $name } belongs to a class
    .cause = Line { $where } defines { $name } inside a class. Outside it, the name is { $full }.
    .repair = Write { $full }.
error-name-in-a-comprehension = { $name } exists only inside the comprehension
    .cause = The comprehension on line { $where } defines { $name } for itself. The name does not exist outside it.
    .repair = Use a for loop if you need { $name } afterwards.
error-name-misspelt = { $name } may be misspelt
    .cause = Nothing defines { $name }. { $where ->
        [0] A similar name exists: { $meant }.
       *[other] { $cell ->
            [0] Line { $where }
           *[other] Line { $where } of cell { $cell }
        } defines a similar one: { $meant }.
    }
    .repair = Write { $meant }.
error-local-hides-outer = { $name } is local to { $function }
    .cause = Line { $where } assigns { $name } inside { $function }. This makes { $name } a local name there, which has no value yet. The outer { $name } is not used.
    .repair = { $word ->
        [none] Choose another name inside { $function }.
       *[other] Pass { $name } to { $function } and return the new value, or begin { $function } with { $word } { $name }.
    }
error-package-missing = { $name } is not available here
    .cause = The Python that runs this program finds no package or file named { $name }.
    .repair = Install the package (pip install { $name ->
        [sklearn] scikit-learn
        [skimage] scikit-image
        [cv2] opencv-python
        [PIL] pillow
        [yaml] pyyaml
       *[other] { $name }
    }) in that Python, or add { $name }.py under File > Files if it is yours.
error-attribute-misspelt = { $name } does not exist
    .cause = { $base } has no { $name }. A similar name exists: { $right }.
    .repair = Write { $right }.
error-module-for-optimizer = The module in place of the optimizer
    .cause = { $base } is the module { $module }, which only contains the classes. The optimizer that the program created is { $own }.
    .repair = Write { $own }.{ $name }.
error-keyword-unknown = { $function } has no argument { $name }
    .cause = { $function } does not take { $name }.{ $right ->
        [none] {""}
       *[other] {" "}Its argument is called { $right }.
    }
    .repair = { $right ->
        [none] Its arguments are { $names }.
       *[other] Write { $right }=.
    }
error-method-without-self = A method without self
    .cause = Python passes the object as the first argument of a method, but { $method } of { $class } (line { $where }) has no parameter for it.
    .repair = Add self as its first parameter.
error-batch-of-fewer = A batch has fewer parts
    .cause = A batch of { $name } has { $given ->
        [1] 1 part
       *[other] { $given } parts
    }, but line { $line } unpacks { $wanted }.
    .repair = Write as many names as a batch has parts. For a single part: for (x,) in { $name }.
error-key-as-attribute = { $name } is a key
    .cause = { $base } is a dict. Its keys are read with brackets; only its methods are attributes.
    .repair = Write { $base }["{ $name }"].
error-lstm-gives-a-pair = The states of an LSTM are a pair
    .cause = { $layer } returns two results: the outputs of all steps, and the tuple (h, c) of its last states.
    .repair = Unpack the pair in brackets, too: out, (h, c) = { $layer }(x).
error-none-by-default = { $name } was not given
    .cause = { $name } is None: that is its default in { $function } (line { $where }), and the call gave it no other value.
    .repair = Pass { $name } when you call { $function }.
