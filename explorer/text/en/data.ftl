# The Data page: a table, what a program does to it, its tensors, the gradient of a weight.

nav-data = Data
data-title = Data
data-lead = From a file to the gradient of a weight. Each action adds its line of pandas to the program.
data-view = View
data-view-table = Table
data-view-tensors = Tensors
data-view-gradient = Gradient
data-source = Table
data-example-own = Your program
data-example-houses = Houses
data-example-tiny = Four houses, as the book has them
data-example-flowers = Three kinds of flowers
data-own = Open or paste
data-file = A file: CSV, TSV, Excel or JSON, at most { $most } MB
data-file-hint = Read in a sandbox. Convert Parquet to CSV first.
data-paste = Or paste a table
data-paste-take = Read it
data-undo = Undo
data-not-run = This program came with a link. It has not run yet.
data-no-table = This program has no table. Read one into a variable, for example data = pd.read_csv("file.csv").

# why a file was not read
data-no-program = { $name } cannot be read as a program.
data-too-much-file = { $name } has { $size } MB. A file may have at most { $most } MB. Leave out rows or columns before you give it.
data-too-much-all = With { $name } the files would have { $size } MB together, at most { $most } MB have room. Remove one in the menu File of the page Program.
data-too-much-count = { $name } would be one file too many ({ $size }, at most { $most }). Remove one in the menu File of the page Program.
data-dropped-large = { $name } is too large to be dropped here. Give it to “Open or paste”.

# the table
data-row = Row
data-caption = { $name }: { COUNTED($rows, "row", "rows") }, { COUNTED($columns, "column", "columns") }
data-missing = { $count } missing
data-distinct = { $count ->
    [one] one distinct value
   *[other] { $count } distinct values
}
data-none = missing
data-value = Value
data-column = Column
data-rows = The first { $shown } of { $all } rows are shown.
data-columns = The first { $shown } of { $all } columns are shown.

# what can be done
data-columns-of = Columns
data-all-columns = All columns
data-do = What to do
data-do-fill = Fill what is missing
data-do-drop-rows = Leave out rows with gaps
data-do-drop-columns = Leave out columns
data-do-one-hot = One-hot: a column per value
data-do-retype = Another type
data-do-scale = Scale numbers
data-add = Add to the program
data-line = The line that is added
data-no-line = There is no column of numbers to scale.
data-with = With
data-to = To
data-fill-mean = the mean
data-fill-median = the median
data-fill-mode = the most frequent value
data-fill-constant = a value
data-type-number = number
data-type-codes = a code per value
data-scale-standard = mean 0, deviation 1
data-scale-range = 0 to 1
data-dtype = dtype
data-dummy-na = Also a column for missing

# tensors
data-target = Target
data-inputs = Inputs
data-make = Make tensors
data-no-tensors = Choose the inputs and the target, and make tensors of them.
data-would-not = As the table is now:
data-why-text = is text: torch.tensor takes numbers only. One-hot, or a code per value, makes numbers of it.
data-why-date = holds dates: make them numbers first, such as (dates - dates.min()).dt.days.
data-why-mixed = holds values of several types ({ $dtype }): give it one type first.
data-why-other = has a type that no tensor has ({ $dtype }).
data-why-missing = { $count ->
    [one] has one missing cell: it becomes NaN, and so do the loss and the gradients.
   *[other] has { $count } missing cells: they become NaN, and so do the loss and the gradients.
}
data-tensor = { $name }: shape { $shape }, { $dtype }, column by column from { $table }
data-more-rows = { $count ->
    [one] and one more row
   *[other] and { $count } more rows
}

# the gradient
data-model = Model
data-model-linear = Linear
data-model-logistic = Logistic
data-rate = Learning rate
data-model-add = Add one step
data-model-needs = A gradient needs a model, and a model needs tensors. First choose the inputs and the target, and make tensors of them. Then add one step of a model here: you see its loss and the gradient of each weight.
data-to-tensors = Next: make tensors
data-to-gradient = Next: the gradient of a weight
data-no-gradient = No weight of this program has a gradient yet. Choose a model and add one step: you see its loss and the gradient of each weight.
data-weights = Gradient at each weight
data-weight = Weight
data-gradient = Gradient
data-predicted = Predicted
data-given = Target
data-pull = Adds to the gradient
data-pulls = What each row adds to the gradient of { $name }: the { $rows } largest of { $all }
data-adds-up = All { COUNTED($rows, "row", "rows") } together add up to { $gradient }.
data-loss = Loss { $loss }
data-loss-less = Loss { $loss }; after one step { $after }.
data-loss-more = Loss { $loss }; after one step { $after }: the step was too large. Scale the columns, or take a smaller learning rate.
data-loss-nan = The loss is not a finite number. Fill or leave out missing cells before the tensors are made.
