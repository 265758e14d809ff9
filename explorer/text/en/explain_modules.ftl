# What torch.nn, torch.optim, torch.utils.data and torch.linalg refuse, explained.

error-super-init-missing = super().__init__() is missing
    .cause = On line { $line } { $code } stores a layer or parameter before nn.Module has created the dictionaries that hold them.
    .repair = Write super().__init__() as the first line of __init__.
error-super-init-late = super().__init__() is called too late
    .cause = { $code } on line { $line } runs before super().__init__(), which creates the dictionaries that hold layers.
    .repair = Move super().__init__() to the first line of __init__.
error-super-init-never = super().__init__() is missing
    .cause = The __init__ of { $class } (line { $line }) never calls nn.Module.__init__, so the object is not set up as a module.
    .repair = Write super().__init__() as the first line of __init__.
error-forward-misspelt = forward is misspelt
    .cause = Calling a module runs its method forward, but { $class } has { $name } on line { $line } instead.
    .repair = Rename the method to forward.
error-forward-missing = The module has no forward
    .cause = Calling a module runs its method forward, but class { $class } (line { $line }) does not define it: { $code }.
    .repair = Define forward(self, x) in the class, indented like __init__.
error-container-called = This container cannot be called
    .cause = A { $type } only stores modules and does not define how to run them: { $code }.
    .repair = Loop over it with x = layer(x), or use nn.Sequential.
error-forward-arguments-missing = The module needs another input
    .cause = forward of { $class } needs { $missing }, but { $code } does not pass it.
    .repair = Pass it when calling the module.
error-constructor-arguments-missing = An argument of the class is missing
    .cause = { $class } needs { $missing }, but { $code } does not pass it.
    .repair = Add { $missing } to the call.
error-sequential-of-a-list = Sequential takes layers, not a { $type }
    .cause = nn.Sequential takes layers as separate arguments, but { $code } passes one { $type }.
    .repair = Remove the square brackets, or write * before them.
error-layer-without-brackets = A class instead of a layer
    .cause = { $name } is the class. Call it to create a layer.
    .repair = Write { $name }() with parentheses.
error-function-in-sequential = A function instead of a layer
    .cause = { $name } is a function, but a module container accepts only modules: { $code }.
    .repair = Use its module, such as nn.ReLU(), or call the function in forward.
error-loss-class-given-tensors = Create the loss function before calling it
    .cause = { $name }(...) creates the loss function, so the tensors in { $code } were treated as its settings.
    .repair = Write { $name }()(prediction, target).
error-loss-class-without-brackets = The loss function was never created
    .cause = Line { $line } assigns the class { $name } itself, so { $code } creates a loss function instead of computing a loss.
    .repair = Write { $name }() on line { $line }.
error-layer-is-no-tensor = A layer instead of its result
    .cause = nn.{ $name }(...) creates a layer. The tensor belongs in a second pair of parentheses, which { $code } lacks.
    .repair = Write nn.{ $name }()(x).
error-layer-indexed = A layer cannot be indexed
    .cause = { $name } is a { $type }, a single layer. Only containers such as nn.Sequential can be indexed.
    .repair = Use { $name }.weight or { $name }.bias for its parameters.
error-layer-number = The container has fewer layers
    .cause = { $code } has no position { $index }. The first layer is number 0.
    .repair = Use numbers up to len(...) - 1, or -1 for the last.
error-module-list-of-one = ModuleList takes a list
    .cause = nn.ModuleList got one { $type }.
    .repair = Put it in square brackets.
error-parameter-wanted = A parameter is replaced by a plain tensor
    .cause = { $name } is a parameter of the module. Only an nn.Parameter can replace it.
    .repair = Use nn.Parameter(...), or copy the values: with torch.no_grad(): layer.{ $name }.copy_(...).
error-module-wanted = A layer is replaced by something else
    .cause = { $name } is a layer of the module. Only a module or None can replace it.
    .repair = Use another name for the result: x = self.{ $name }(x).
error-batch-norm-of-one-row = Batch norm needs more than one value per channel
    .cause = In training mode, batch normalization computes the mean and variance over several values per channel, but the input of { $code } has shape { $shape }.
    .repair = Use a larger batch, or call .eval() for prediction. In a DataLoader, drop_last=True skips the short last batch.
error-batch-norm-rank = The input has the wrong axes
    .cause = The layer in { $code } expects a { $wanted } input but got { $given }.
    .repair = BatchNorm1d takes (examples, features) or (examples, channels, length), BatchNorm2d (examples, channels, height, width).
error-image-without-a-batch = The batch axis is missing
    .cause = The layer in { $code } takes images in batches, (examples, channels, height, width), but got { $given }.
    .repair = Turn a single image into a batch with unsqueeze(0).
error-parameters-without-part = Some parameters do not affect the loss
    .cause = DistributedDataParallel waits for a gradient of every parameter. In the round before { $code }, some parameters had no path from the loss.
    .repair = Use their result in the loss, or remove them. If this changes from round to round, pass find_unused_parameters=True.
error-sequential-of-several = Sequential passes on a single value
    .cause = nn.Sequential passes its input to the first layer and each result to the next, so it takes one value, but { $code } passes { $given }.
    .repair = Join them first, for example with torch.cat, or write a Module whose forward takes them.
error-class-without-brackets = A class instead of an instance
    .cause = { $name } is the class { $class } itself (line { $where }), so { $code } has no object with parameters.
    .repair = Create an instance: { $class }().
error-step-given-a-loss = step() does not take a loss
    .cause = { $base } treats its argument as a function that computes the loss and calls it. The gradients are computed by backward().
    .repair = Write { $base }().
error-layer-given-its-input = A layer is created from sizes
    .cause = { $layer }(...) creates a layer from the number of features, but it got { $tensor }, which is the layer's input.
    .repair = Pass the size, then call the layer with { $tensor }: { $layer }({ $tensor }.shape[-1], ...)({ $tensor }).
error-batch-norm-features = Wrong number of features
    .cause = The layer was created for { COUNTED($wanted, "feature", "features") }, but the input has { $given }.
    .repair = Use { $given } as the number of features, or change the previous layer.
error-layer-norm-shape = The last axes have the wrong sizes
    .cause = LayerNorm was created for the last sizes ({ $wanted }), but the input has shape ({ $given }).
    .repair = Create the layer with the last size of the input.
error-dropout-out-of-range = p is a probability
    .cause = Dropout drops entries with probability p, but p is { $value }.
    .repair = Choose p between 0 and 1, such as 0.5.
error-recurrent-input-size = Wrong number of features
    .cause = The recurrent layer was created for inputs with { COUNTED($wanted, "feature", "features") } on the last axis, but this input has { $given }.
    .repair = Create the layer with input_size={ $given }, or change the input.
error-recurrent-input-rank = The input needs two or three axes
    .cause = { $type } takes (steps, features) or (steps, batch, features), but the input has { COUNTED($given, "axis", "axes") }.
    .repair = Reshape the input. unsqueeze(0) adds an axis.
error-recurrent-hidden-size = The hidden state has the wrong shape
    .cause = The layer expects a hidden state of shape ({ $wanted }) but got ({ $given }).
    .repair = Give it the shape (layers, batch, hidden_size). Without batch_first, the batch is axis 1 of the input.
error-attention-heads = The features don't divide evenly among the heads
    .cause = Each head gets an equal part of the features, so embed_dim must be a multiple of num_heads: { $code }.
    .repair = Choose a number of heads that divides embed_dim.
error-attention-features = Wrong number of features
    .cause = The attention layer was created for { COUNTED($wanted, "feature", "features") }, but the input has { $given } on its last axis.
    .repair = Create it with embed_dim={ $given }, or change the input.
error-group-norm-groups = The channels do not divide into groups
    .cause = { $channels } channels do not divide into { COUNTED($groups, "group", "groups") } of the same size.
    .repair = Choose a number of groups that divides { $channels }.
error-conv-groups = The channels do not divide into groups
    .cause = { $side } in { $code } is not a multiple of groups.
    .repair = Choose a value for groups that divides in_channels and out_channels.
error-initialiser-of-a-vector = This initializer needs a matrix
    .cause = It computes its range from the numbers of inputs and outputs, but the tensor in { $code } has fewer than two axes.
    .repair = Use it only for weights. Initialize a bias with nn.init.zeros_.
error-sparse-adam-dense = SparseAdam takes only sparse gradients
    .cause = At { $code } a parameter has a dense gradient. Only embeddings with sparse=True get sparse gradients.
    .repair = Create the layers with nn.Embedding(…, sparse=True). Pass only those to SparseAdam and the others to Adam.
error-scheduler-without-initial-rate = The scheduler does not know the initial rate
    .cause = With last_epoch, { $code } continues an earlier run, but group { $group } of the optimizer has no initial_lr.
    .repair = Remove last_epoch, or load the optimizer's state_dict first. It contains initial_lr if a scheduler existed when it was saved.
error-state-dict-shape = A saved parameter has the wrong shape
    .cause = { $name } was saved with shape { $given }, but the { $type } here has { $wanted }.{ $more ->
        [0] {""}
        [one] { " " }The shape of { $others } also differs.
       *[other] { " " }The shapes of { $more } others also differ: { $others }.
    }
    .repair = Create the module with the sizes it was saved with. To load only a part, such as all but the last layer, load that part into its own module.
error-state-dict-missing = Entries are missing from the state_dict
    .cause = The { $type } also has { $missing }, which the dictionary in { $code } lacks.
    .repair = Build the module as it was when saved, or load into the part of it that was saved.
error-state-dict-extra = The state_dict has extra entries
    .cause = The dictionary of { $code } has { $extra }, but the { $type } has no such parameter.
    .repair = Build the module as it was when saved, or remove the extra entries from the dictionary.
error-state-dict-names = The state_dict has different names
    .cause = The { $type } expects { $missing }, but the dictionary has { $extra }. It belongs to a module with a different structure.
    .repair = Build the module as it was when saved, or rename the keys.
error-state-dict-wanted = load_state_dict needs a dictionary
    .cause = load_state_dict takes the result of state_dict(), but got a { $type }.
    .repair = Pass other.state_dict().
error-optimizer-of-empty-list = The optimizer has no parameters
    .cause = The list of parameters in { $code } is empty.
    .repair = Pass net.parameters(), or a list of the tensors to train.
error-layers-in-a-list = Layers in a Python list or dict are not found
    .cause = self.{ $name } on line { $line } is a plain Python { $kind ->
        [ModuleDict] dict
       *[ModuleList] list
    }. A module finds only layers that are its direct attributes, so { $code } gets no parameters.
    .repair = Use { $kind ->
        [ModuleDict] nn.ModuleDict({"{"}...{"}"})
       *[ModuleList] nn.ModuleList([...])
    }.
error-module-without-parameters = The module has no parameters
    .cause = { $name } has no parameters: its layers have no weights, or they are stored where the module does not find them.
    .repair = Store layers and nn.Parameter as attributes of the module. A generator such as parameters() is also empty after its first use.
error-optimizer-of-nothing = The optimizer has no parameters
    .cause = The parameters passed in { $code } are empty. A generator such as parameters() is empty after its first use.
    .repair = Pass net.parameters() again, or a list.
error-optimizer-of-a-module = The module instead of its parameters
    .cause = { $function } takes parameters, but { $name } is the module itself, a { $type }.
    .repair = Write { $name }.parameters().
error-parameters-not-called = A method without parentheses
    .cause = { $name } is the method. Call it to get the parameters.
    .repair = Write { $name }().
error-optimizer-of-a-tensor = A tensor instead of a list
    .cause = An optimizer takes a list of tensors, but { $name } is one tensor.
    .repair = Write [{ $name }].
error-optimizer-of-non-leaf = The tensor is a result, not a leaf
    .cause = { $name } (line { $where }) is the result of an operation, but { $code } can change only leaves, which are created directly.
    .repair = Pass the leaf it was computed from, or end its line with .detach().requires_grad_().
error-optimizer-of-state-dict = Names instead of parameters
    .cause = An optimizer takes the tensors themselves, but { $code } passes names, or pairs with names.
    .repair = Pass parameters().
error-optimizer-of-numbers = Some values are not tensors
    .cause = An optimizer changes tensors, but a value in { $code } has type { $type }.
    .repair = Convert them to tensors: torch.tensor(..., requires_grad=True).
error-optimizer-of-modules = A module instead of its parameters
    .cause = An optimizer changes tensors, but { $code } passes it a module, a { $type }.
    .repair = Pass { $name ->
        [none] the parameters of each module: .parameters()
       *[other] { $name }.parameters()
    }.
error-optimizer-of-generators = Lists of parameters inside a list
    .cause = An optimizer changes tensors, but each entry of the list in { $code } is itself a sequence of parameters.
    .repair = Write * before each .parameters(), so that the list contains the tensors themselves.
error-optimizer-without-parameters = The optimizer got no parameters
    .cause = { $class } needs the parameters as its first argument, but { $code } passes none.
    .repair = Pass net.parameters() as the first argument.
error-optimizer-value-out-of-range = A setting is out of range
    .cause = { $name } is { $value } in { $code }.
    .repair = Use a nonnegative learning rate, momentum and weight decay, and betas between 0 and 1.
error-optimizer-setting-is-text = A setting is text
    .cause = A setting in { $code } is a str, but the optimizer compares it with a number.
    .repair = Write the number without quotes. For a setting read from a file, use float(…): YAML reads 1e-3 as text and 1.0e-3 as a number.
error-betas-of-two-kinds = The betas have different types
    .cause = In { $code } only one beta is a float.
    .repair = Write both as floats, such as 0.0 instead of 0.
error-list-of-lists = Lists instead of tensors
    .cause = { $code } takes a list of tensors, but its elements have type { $type }.
    .repair = Convert each element to a tensor first: [torch.tensor(x) for x in …].
error-lengths-not-sorted = The sequences are not sorted by length
    .cause = { $code } expects the longest sequence first, but these lengths are in a different order.
    .repair = Pass enforce_sorted=False: torch then sorts them and restores the order.
error-scatter-of-two-kinds = { $method } with different dtypes
    .cause = In { $code } the target tensor and the values have different dtypes.
    .repair = Convert the values with .to(tensor.dtype).
error-iterator-has-no-next = Use next() for the next batch
    .cause = A DataLoader's iterator has no next method. { $code } is Python 2 code.
    .repair = Use next(…) on the iterator instead of .next().
error-file-of-objects = The file contains more than tensors
    .cause = Since version 2.6 torch.load reads only tensors and plain values. This file also contains { $object }, and loading such objects can run any code in the file.
    .repair = Save model.state_dict() and load it into a new model. If you trust the file, pass weights_only=False.
error-optimizer-has-no-backward = backward belongs to the loss
    .cause = { $type } only updates parameters. backward() belongs to the loss: { $code }.
    .repair = Call loss.backward(), then step().
error-parameter-in-two-groups = A parameter is in two groups
    .cause = A tensor is in more than one group of { $code } and would be updated twice per step.
    .repair = Keep it in one group.
error-scheduler-without-optimizer = The scheduler needs an optimizer
    .cause = { $code } got a { $type }, but a scheduler changes the learning rate of an optimizer.
    .repair = Pass the optimizer as the first argument.
error-dataset-lengths = The tensors have different lengths
    .cause = A dataset takes row i of every tensor, but the tensors in { $code } have different numbers of rows.
    .repair = Compare .shape[0] of features and labels.
error-split-lengths = The parts don't add up to the whole
    .cause = The lengths in { $code } do not add up to the number of examples.
    .repair = Compute the last length as len(data) - n, or pass fractions that add up to 1.
error-batch-size = A batch needs at least one example
    .cause = batch_size is { $value } in { $code }.
    .repair = Use a whole number of at least 1.
error-dataset-is-empty = The dataset has no examples
    .cause = The dataset of { $code } has length 0, and shuffling needs examples to choose from.
    .repair = Check how the dataset was created.
error-batch-of-unknown-type = The examples can't form a batch
    .cause = __getitem__ returned a { $type }, but a batch consists of tensors, numbers, strings, or lists of them: { $code }.
    .repair = Return a tensor or a number, and check that return is not missing.
error-loader-indexed = A DataLoader cannot be indexed
    .cause = A DataLoader yields its batches in sequence, but { $code } requests a batch by number.
    .repair = Use next(iter(loader)) for the first batch, or a for loop.
error-matrix-singular = The matrix has no inverse
    .cause = During elimination, pivot { $index } became 0: the rows of the matrix in { $code } are linearly dependent.
    .repair = Check the entries, or use the pseudoinverse torch.linalg.pinv, or lstsq for a system.
error-matrix-singular-in-batch = A matrix of the batch has no inverse
    .cause = Matrix { $index } of the batch (counted from 0) has linearly dependent rows: { $code }.
    .repair = Check that matrix, or use torch.linalg.pinv.
error-array-singular = The matrix has no inverse
    .cause = The rows of the matrix in { $code } are linearly dependent.
    .repair = Check the entries, or use np.linalg.pinv.
error-system-singular = The system has no unique solution
    .cause = The rows of the matrix in { $code } are linearly dependent: there are no solutions, or infinitely many.
    .repair = Use torch.linalg.lstsq or pinv for a solution with the least error.
error-not-positive-definite = The matrix is not positive definite
    .cause = A Cholesky factor exists only if all eigenvalues are above 0, which does not hold for the matrix in { $code }.
    .repair = Check that it is symmetric, for example computed as A.T @ A. If rounding is the cause, add a small multiple of torch.eye(n).
error-matrix-not-square = The matrix is not square
    .cause = { $function } is defined for square matrices, but this matrix is { $rows } by { $columns }.
    .repair = Check the shape. For other matrices use torch.linalg.pinv or svd.
error-array-not-square = The matrix is not square
    .cause = { $code } is defined only for square matrices.
    .repair = Check the shape. For other matrices use np.linalg.pinv.
error-matrix-wanted = A matrix is expected
    .cause = { $function } works on matrices, but the tensor in { $code } has fewer than two axes.
    .repair = Pass a tensor with two axes. unsqueeze adds an axis.
error-matrix-not-finite = The matrix contains NaN or infinity
    .cause = { $code } found entries that are NaN or infinite, or it did not converge.
    .repair = Use torch.isfinite(A).all() to find where they first appear.
error-system-shapes = Matrix and right-hand side don't match
    .cause = In A X = B, A and B need the same number of rows: A is { $first } and B is { $second }.
    .repair = Compare the number of rows of A and B.
error-lstsq-shapes = Matrix and right-hand side don't match
    .cause = lstsq needs a right-hand side with as many rows as the matrix, on axis -{ $axis }: { $code }.
    .repair = Compare the number of rows. unsqueeze(-1) turns a vector into a column.
error-cross-product-not-three = A cross product needs three entries
    .cause = The vectors in { $code } do not have length 3.
    .repair = Pass vectors with three entries.
error-no-length = The dataset has no length
    .cause = A DataLoader needs the dataset's number of examples, but class { $class } defines no __len__.
    .repair = Define __len__(self) and return the number of examples.
error-optimizer-of-an-operation = The tensor is a result, not a leaf
    .cause = { $made } (line { $where }) creates a new tensor with an operation, but { $call } can change only leaves, which are created directly.
    .repair = Pass the leaf, and compute { $made } from it where you use it. Or create a new leaf from its values with .detach().requires_grad_().
error-optimizer-of-a-list-of-results = The tensors are results, not leaves
    .cause = The tensors from { $name } were computed by { $made } on line { $where }, but { $call } can change only leaves, which are created directly.
    .repair = Let { $name } provide the leaves, or create new leaves from those values with .detach().requires_grad_().
error-optimizer-of-rows = The rows of a tensor are not leaves
    .cause = { $code } iterates over { $name } itself, which yields its rows. A row is the result of an operation, not a leaf.
    .repair = Put the tensor in a list: [{ $name }].
error-optimizer-of-some-non-leaf = A tensor is a result, not a leaf
    .cause = One of the tensors passed to { $code } is the result of an operation, but an optimizer can change only leaves, which are created directly.
    .repair = Print is_leaf of each tensor. Pass the leaf it was computed from, or create a new leaf with .detach().requires_grad_().
error-optimizer-state-of-another = The saved state belongs to other parameters
    .cause = { $code } loads the state of an optimizer with different parameter groups. Each group needs as many parameters as when it was saved.
    .repair = Build the model and its optimizer as they were when saved, with the same layers and groups, or start with a new optimizer.
error-scaler-without-a-scale = The scaler has not scaled a loss
    .cause = { $code } needs the scale factor, which is created when the scaler first scales a loss. No loss has been scaled yet.
    .repair = Call backward() on the scaled loss: scaler.scale(loss).backward().
error-scaler-without-gradients = The optimizer has no gradients
    .cause = { $code } checks the gradients for infinite entries, but no parameter of this optimizer has a gradient.
    .repair = Call scaler.scale(loss).backward() first, and pass the optimizer the parameters that the loss depends on.
error-scaler-without-a-step = The scaler has not stepped yet
    .cause = { $code } adjusts the scale from the gradients that step() or unscale_() checked, and neither has run.
    .repair = Call scaler.step(optimizer) first.
error-scaler-out-of-order = The scaler's calls are out of order
    .cause = A GradScaler unscales an optimizer's gradients once between two calls of update(): in unscale_, or otherwise in step. { $code } runs { $when ->
        [after] after step
       *[since] a second time
    }, with no update() in between.
    .repair = In each round, after backward: scaler.unscale_(optimizer) at most once, scaler.step(optimizer), and last scaler.update().
error-scaler-of-float16 = Weights in float16
    .cause = { $code } would divide float16 gradients by the factor, and small gradients would become 0 again. The scaler is designed for float32 weights.
    .repair = Keep the model in float32, without half(), and run its forward under torch.autocast.
error-recurrent-batch = The state is for a different batch size
    .cause = The hidden state passed in { $code } was created for { COUNTED($made, "example", "examples") }, but this batch has { $batch }.
    .repair = Create it with the input's batch size, x.size(0) with batch_first=True, or omit it: it then starts at zero.
error-recurrent-state-of-another-batch = The state is for a different batch size
    .cause = The hidden state passed in { $code } was created for { COUNTED($made, "example", "examples") }, but this batch has { $batch }. The last batch of a DataLoader may be shorter.
    .repair = Create the state with the input's batch size, x.size(0) with batch_first=True, or skip the short batch: DataLoader(..., drop_last=True).
error-recurrent-gives-two = A recurrent layer returns two results
    .cause = { $layer } returns a tuple: the outputs of all steps, and the last state. { $code } uses the tuple as if it were one tensor.
    .repair = Unpack it, as in out, state = { $layer }(x), or use [0].
error-recurrent-gives-two-inside = A recurrent layer returns two results
    .cause = { $layer } returns a tuple: the outputs of all steps, and the last state. In { $code } the next layer gets that tuple instead of one tensor.
    .repair = Call the layers separately: out, state = { $layer }(x), then the next layer with out.
error-batch-of-other-shapes = The examples of a batch differ in shape
    .cause = A DataLoader stacks the examples of a batch. Example { $i } has shape { $first }, example { $k } has { $second }.
    .repair = Convert them to one shape in the dataset, or pad them in the DataLoader's collate_fn, for example with torch.nn.utils.rnn.pad_sequence.
error-reduction-gives-two = The result is a pair of values and positions
    .cause = { $made } returns two tensors, the entries and their positions, but { $code } uses the pair as one tensor.
    .repair = Use { $name }.values for the entries, or { $name }.indices for the positions.
error-example-is-none = An example is None
    .cause = The DataLoader combines the examples from { $class }.__getitem__ into a batch, but an example, or a part of it, is None.
    .repair = Return a value for every part of every example. Exclude unwanted examples when creating the dataset.
error-state-dict-prefix = Every name has an extra prefix
    .cause = Every name in the dictionary starts with { $prefix }, such as { $first }, but the module calls it { $second }. DataParallel and DistributedDataParallel add the prefix module. to names.
    .repair = Remove the prefix from every name before loading.
error-state-dict-no-prefix = Every name lacks a prefix
    .cause = Every name of the module starts with { $prefix }, such as { $first }, but the dictionary calls it { $second }. The saved module was a part of this module, or was not wrapped.
    .repair = Load it into that part, or add { $prefix } to every name.
error-attention-mask-shape = The attention mask has the wrong shape
    .cause = attn_mask has shape ({ $given }), but the attention scores of queries and keys have shape ({ $wanted }).
    .repair = Create the mask with one row per query and one column per key: ({ $wanted }).
error-plateau-without-a-value = ReduceLROnPlateau needs the loss
    .cause = ReduceLROnPlateau lowers the learning rate when a measured value stops improving, but { $code } passes no value.
    .repair = Pass that value, usually the validation loss: step(val_loss).
error-tuple-for-one-tensor = A tuple instead of one tensor
    .cause = { $name } is a tuple with { COUNTED($count, "entry", "entries") }: { $parts }.{ $where ->
        [0] {""}
       *[other] {" "}{ $made } on line { $where } returned it.
    } { $code } uses it as one tensor.
    .repair = Use the entry you need, as in { $name }[0], or unpack the tuple where it is created.
error-loss-is-a-tuple = The loss is a tuple
    .cause = { $name } is a tuple of { $count } scalars{ $where ->
        [0] {""}
       *[other] {" "}from { $made } on line { $where }
    }, but only a tensor has backward().
    .repair = Call backward() on the loss itself, as in { $name }[0], or on their sum.
error-call-gives-several = The call returns several values
    .cause = { $call } returns a tuple, but { $code } uses it as one tensor.
    .repair = Unpack it first, as in out, other = { $call }, or use one entry: { $call }[0].
error-pair-compared = The compared value is a pair
    .cause = { $name } is a pair, the entries and their positions{ $where ->
        [0] {""}
       *[other] , from { $made } on line { $where }
    }. Comparing the whole pair with a tensor returns just False.
    .repair = Use { $name }.indices for the positions, or { $name }.values for the entries.
error-nothing-returned = The function returns nothing
    .cause = { $function } on line { $where } does not return a value, so its call returns None, which { $code } uses.{ $last ->
        [none] {""}
       *[other] {" "}Its last line is { $last }.
    }
    .repair = Return the result at the end of { $function }.
error-script-attribute = { $type } has no { $name }
    .cause = torch.jit.script compiles { $at ->
        [none] forward
       *[other] { $at }
    }, and { $type } has no method or attribute { $name }.
    .repair = { $right ->
        [none] Define { $name } in the class, or use the intended name.
       *[other] Use { $right }.
    }
error-script-method = TorchScript does not know { $name }
    .cause = torch.jit.script compiles { $at ->
        [none] the function
       *[other] { $at }
    }, and { $type } has no method { $name } there.
    .repair = Use a method that tensors have. If this method exists only in Python, call it outside the scripted function.
error-script-undefined = TorchScript can't find { $name }
    .cause = torch.jit.script compiles the function in isolation. { $name } is neither an argument nor a value that TorchScript can use.
    .repair = Pass { $name } as an argument, or make it an attribute of the module.
error-dict-for-one-tensor = A dict instead of one tensor
    .cause = { $name } is a dict with the keys { $parts }, but { $code } uses it as one tensor.
    .repair = Pass the entry you need, as in { $name }["{ $key }"].
error-batch-for-one-tensor = A whole batch instead of one tensor
    .cause = The loop on line { $where } makes { $name } a list with { COUNTED($count, "entry", "entries") }: { $parts }. { $code } uses it as one tensor.
    .repair = Unpack it in the loop, as in for x, y in loader, or use the entry you need: { $name }[0].
error-state-dict-as-module = A state_dict is not a module
    .cause = { $name } from { $made } on line { $where } is a dictionary of saved parameters. Only a module has { $method }.
    .repair = Create the module first, then load the dictionary: net.load_state_dict({ $name }).
error-next-without-iter = next() needs an iterator
    .cause = { $code } requests the next entry of a { $type }, which is not an iterator. iter() returns an iterator.
    .repair = Write { $right }.
error-name-given-to-result = The name now refers to the result
    .cause = Line { $where } assigns the result of { $made } to { $name }. { $name } is now a tensor, so { $code } cannot call it.
    .repair = Assign the result to a different name.
error-lstm-state-alone = An LSTM needs two states
    .cause = { $layer } is an LSTM, whose state is a pair: hidden state and cell state. { $code } passes only { $state }.
    .repair = Pass both, as in { $layer }(x, (h, c)), with c in the shape of h.
error-closure-missing = This optimizer needs a closure
    .cause = { $function }() computes the loss several times per step and needs a function for that.
    .repair = Define a closure that clears the gradients, computes the loss, calls backward() and returns the loss. Then call step(closure).
error-init-misspelt = __init__ is misspelt
    .cause = Python calls only __init__ when creating a { $class }. Line { $line } has { $written } instead, so it never ran and self.{ $name } was never set.
    .repair = Write __init__ with two underscores on each side, also after super().
error-cycled-momentum = { $type } would also change the momentum
    .cause = { $type } cycles the momentum (beta1 for Adam) together with the learning rate, but this optimizer has neither.
    .repair = Pass cycle_momentum=False, or choose an optimizer with momentum.
error-scheduler-past-its-end = The schedule is over
    .cause = The scheduler was created for { $total } steps, and { $code } on line { $line } is one more.
    .repair = Pass the number of all calls of step() as total_steps. A scheduler that is stepped once per batch needs epochs × batches.
error-clipped-nonfinite = The norm of the gradients is not finite
    .cause = At least one gradient contains NaN or infinity, so no factor can bring their norm below the limit.
    .repair = Find the operation where it starts, and change its input. Clipping cannot repair it.
error-batches-of-two-sizes = src and tgt have different batch sizes
    .cause = { $code } pairs each source sequence with one target sequence, but got different numbers of them.
    .repair = Pass as many target sequences as source sequences. The batch is axis 1, or axis 0 with batch_first=True.
error-reduction-unknown = Unknown reduction
    .cause = { $value } is not a reduction of this loss.
    .repair = Choose "mean", "sum" or "none". KLDivLoss also has "batchmean".
