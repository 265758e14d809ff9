# The Data page: a table, what a program does to it, its tensors, the gradient of a weight.

nav-data = Data
data-view =
    .table = Table
    .tensors = Tensors
    .gradient = Gradient
data-source = Table
data-example =
    .own = Your program
    .houses = Houses
    .tiny = Four houses, from the book
    .flowers = Three kinds of flowers
data-own = Open or paste
data-file = File: CSV, TSV, Excel or JSON, at most { $most } MB
data-file-hint = Read in a sandbox. Convert Parquet to CSV first.
data-paste = Or paste a table
data-paste-take = Read
data-not-run = This program is from a link. It has not run yet.
data-no-table = This program has no table. Read a file into a variable, for example data = pd.read_csv("file.csv").

# why a file was not read
data-no-program = { $name } cannot be read as a program.
data-dropped-large = { $name } is too large to drop here. Use “Open or paste” instead.

# the table
data-row = Row
data-caption = { $name }: { COUNTED($rows, "row", "rows") }, { COUNTED($columns, "column", "columns") }
data-missing = { $count } missing
data-mean = mean { $mean }
data-distinct = { $count ->
    [one] 1 value
   *[other] { $count } values
}
missing = missing
data-column = Column
data-first = Showing the first { $shown } of { $all } { $what ->
        [columns] columns
       *[rows] rows
    }.

# what can be done
data-do =
    .fill-mean = Fill with the mean
    .fill-median = Fill with the median
    .fill-mode = Fill with the most frequent value
    .fill-constant = Fill with
    .drop-rows = Remove rows without a value
    .scale-standard = Standardize: mean 0, deviation 1
    .scale-range = Scale to 0 … 1
    .one-hot = One-hot: { $count } columns
    .retype-codes = Number the values
    .retype-number = Read as numbers
    .retype-date = Read as dates
    .retype-days = Days since the first date
    .drop-columns = Remove
data-all =
    .fill-mean = Fill numbers with their means
    .fill-median = Fill numbers with their medians
    .fill-mode = Fill with the most frequent values
    .fill-constant = Fill with
    .drop-rows = Remove rows with missing cells
    .drop-columns = Remove columns with missing cells
    .scale-standard = Standardize all numbers
    .scale-range = Scale all numbers to 0 … 1
    .one-hot = One-hot all text columns
data-several = { $count } columns
data-several-hint = Ctrl+click headers to act on several columns.

# tensors
data-target = Target
data-inputs = Inputs
data-make = Make tensors
data-no-tensors = Choose the inputs and the target, and create tensors from them.
data-would-not = With the table as it is:
data-why =
    .text = contains text, but torch.tensor takes only numbers. Use one-hot columns or one code per value.
    .date = contains dates. Convert them to numbers first, such as (dates - dates.min()).dt.days.
    .mixed = contains values of several types ({ $dtype }). Convert it to one type first.
    .other = has a type that tensors don't support ({ $dtype }).
    .missing = { $count ->
        [one] has one missing cell: it becomes NaN, and so do the loss and the gradients.
       *[other] has { $count } missing cells: they become NaN, and so do the loss and the gradients.
    }
data-tensor = { $name }: shape { $shape }, { $dtype }, column by column from { $table }
data-more-rows = { $count ->
    [one] and 1 more row
   *[other] and { $count } more rows
}

# the gradient
data-model = Model
    .linear = Linear
    .logistic = Logistic
data-rate = Learning rate
data-model-add = Add one step
data-model-needs = A gradient needs a model, and a model needs tensors. First choose the inputs and the target, and create tensors. Then add one step of a model here to see its loss and the gradient of each weight.
data-to-tensors = Next: make tensors
data-to-gradient = Next: the gradient of a weight
data-no-gradient = No weight in this program has a gradient yet. Choose a model and add one step to see its loss and the gradient of each weight.
data-weights = Gradient at each weight
data-weight = Weight
data-gradient = Gradient
data-predicted = Predicted
data-given = Target
data-pull = Contribution to the gradient
data-pulls = Contribution of each row to the gradient of { $name }: the { $rows } largest of { $all }
data-adds-up = All { COUNTED($rows, "row", "rows") } together: { $gradient }.
data-loss = Loss { $loss }
    .less = Loss { $loss }; { $after } after one step.
    .more = Loss { $loss }; { $after } after one step, so the step was too large. Scale the columns, or use a smaller learning rate.
    .nan = The loss is not finite. Fill or remove missing values before creating the tensors.
