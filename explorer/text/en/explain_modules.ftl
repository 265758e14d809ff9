# What torch.nn, torch.optim, torch.utils.data and torch.linalg refuse, explained.

error-super-init-missing = super().__init__() is missing
    .cause = On line { $line } { $code } stores a layer or parameter before nn.Module has made the lists it keeps them in.
    .repair = Write super().__init__() as the first line of __init__.
error-super-init-late = super().__init__() comes too late
    .cause = { $code } on line { $line } runs before super().__init__(), which makes the lists that layers are kept in.
    .repair = Move super().__init__() to the first line of __init__.
error-super-init-never = super().__init__() is missing
    .cause = The __init__ of { $class } (line { $line }) never calls that of nn.Module, so the object lacks what every module needs.
    .repair = Write super().__init__() as the first line of __init__.
error-forward-misspelt = forward in another spelling
    .cause = Calling a module runs its method forward; { $class } has { $name } on line { $line } instead.
    .repair = Call the method forward.
error-forward-missing = The module has no forward
    .cause = Calling a module runs its method forward, and class { $class } (line { $line }) has none: { $code }.
    .repair = Write def forward(self, x) in the class, in the same column as __init__.
error-container-called = This container only holds modules
    .cause = A { $type } keeps modules for others and says nothing about their order: { $code }.
    .repair = Go through it in a loop, x = layer(x), or use nn.Sequential.
error-forward-arguments-missing = The module needs a further input
    .cause = forward of { $class } needs { $missing }, and { $code } does not give it.
    .repair = Pass it in the call of the module.
error-constructor-arguments-missing = An argument of the class is missing
    .cause = { $class } needs { $missing }, and { $code } does not give it.
    .repair = Add { $missing } to the call.
error-sequential-of-a-list = Sequential takes layers, not a { $type }
    .cause = nn.Sequential takes the layers one by one as arguments; { $code } gives one { $type }.
    .repair = Leave the square brackets out, or write * before them.
error-layer-without-brackets = A class in place of a layer
    .cause = { $name } is the class; a layer is made by calling it.
    .repair = Write { $name }() with its brackets.
error-function-in-sequential = A function in place of a layer
    .cause = { $name } is a function, and a container of modules holds only modules: { $code }.
    .repair = Use its module, such as nn.ReLU(), or call the function in forward.
error-loss-class-given-tensors = The loss is made first, then called
    .cause = { $name }(...) makes the loss function; the tensors in { $code } were taken as its settings.
    .repair = Write { $name }()(prediction, target).
error-loss-class-without-brackets = The loss is not made yet
    .cause = Line { $line } gives the class { $name } a name; { $code } then makes a loss instead of computing one.
    .repair = Write { $name }() on line { $line }.
error-layer-is-no-tensor = A layer in place of its result
    .cause = nn.{ $name }(...) makes a layer; the tensor goes into a second pair of brackets, and in { $code } it did not.
    .repair = Write nn.{ $name }()(x).
error-layer-indexed = A layer has no positions
    .cause = { $name } is a { $type }, one layer; only containers such as nn.Sequential are indexed.
    .repair = Use { $name }.weight or { $name }.bias for its parameters.
error-layer-number = The container has fewer layers
    .cause = Position { $index } in { $code } is not there; the first layer has number 0.
    .repair = Use numbers up to len(...) - 1, or -1 for the last.
error-module-list-of-one = ModuleList takes a list
    .cause = nn.ModuleList was given one { $type }.
    .repair = Put it into square brackets.
error-parameter-wanted = A parameter is replaced by a plain tensor
    .cause = { $name } is a parameter of the module; only an nn.Parameter can take its place.
    .repair = Write nn.Parameter(...), or copy the values: with torch.no_grad(): layer.{ $name }.copy_(...).
error-module-wanted = A layer is replaced by something else
    .cause = { $name } is a layer of the module; only a module or None can take its place.
    .repair = Choose another name for the result: x = self.{ $name }(x).
error-batch-norm-of-one-row = One row has no spread
    .cause = In training mode batch normalisation needs the mean and variance over several values of each channel; the input of { $code } has shape { $shape }.
    .repair = Give a larger batch, or call .eval() for prediction; in a DataLoader drop_last=True leaves the short batch out.
error-batch-norm-rank = The input has other axes
    .cause = The layer in { $code } wants a { $wanted } input, and this one is { $given }.
    .repair = BatchNorm1d takes (examples, features) or (examples, channels, length), BatchNorm2d (examples, channels, height, width).
error-image-without-a-batch = The axis of examples is missing
    .cause = The layer in { $code } takes images in batches, (examples, channels, height, width), and this input is { $given }.
    .repair = A single image becomes a batch of one with unsqueeze(0).
error-parameters-without-part = Parameters take no part in the loss
    .cause = DistributedDataParallel waits for a gradient of every parameter. In the round before { $code }, no path led from the loss to some of them.
    .repair = Use their result in the loss, or leave them out; where that changes from round to round, find_unused_parameters=True.
error-sequential-of-several = Sequential hands one value on
    .cause = nn.Sequential gives its input to the first layer and each result to the next, so it takes one value; { $code } gives { $given }.
    .repair = Join them before, as with torch.cat, or write a Module whose forward takes them.
error-class-without-brackets = A class instead of an instance
    .cause = { $name } is the class { $class } itself (line { $where }), so { $code } has no object with parameters.
    .repair = Create an instance: { $class }().
error-step-given-a-loss = step() takes no loss
    .cause = { $base } takes no loss: what it is given it calls, as a function that computes the loss. The gradients come from backward().
    .repair = Write { $base }().
error-layer-given-its-input = A layer is made from sizes
    .cause = { $layer }(...) makes a layer and takes the number of features; { $tensor } is the tensor that the layer is to be called with.
    .repair = Give the size, and call the layer with { $tensor }: { $layer }({ $tensor }.shape[-1], ...)({ $tensor }).
error-batch-norm-features = Another number of features
    .cause = The layer was made for { COUNTED($wanted, "feature", "features") }, and the input has { $given }.
    .repair = Write { $given } as the number of features, or change the layer before.
error-layer-norm-shape = The last axes have other sizes
    .cause = LayerNorm was made for the last sizes ({ $wanted }), and the input has shape ({ $given }).
    .repair = Make the layer with the last size of the input.
error-dropout-out-of-range = p is a probability
    .cause = Dropout leaves out entries with probability p, and p is { $value }.
    .repair = Choose p between 0 and 1, such as 0.5.
error-recurrent-input-size = Another number of features
    .cause = The recurrent layer was made for inputs with { COUNTED($wanted, "feature", "features") } on the last axis; this one has { $given }.
    .repair = Make the layer with input_size={ $given }, or change the input.
error-recurrent-input-rank = The input needs two or three axes
    .cause = { $type } reads (steps, features) or (steps, batch, features); the input has { COUNTED($given, "axis", "axes") }.
    .repair = Reshape the input; unsqueeze(0) adds an axis.
error-recurrent-hidden-size = The hidden state has the wrong shape
    .cause = The layer expects a hidden state of shape ({ $wanted })but got ({ $given }).
    .repair = Give it the shape (layers, batch, hidden_size); without batch_first the batch is axis 1 of the input.
error-attention-heads = The features do not divide among the heads
    .cause = Each head gets an equal part of the features, so embed_dim must be a multiple of num_heads: { $code }.
    .repair = Choose a number of heads that divides embed_dim.
error-attention-features = Another number of features
    .cause = The attention layer was made for { COUNTED($wanted, "feature", "features") }, and the input has { $given } on its last axis.
    .repair = Make it with embed_dim={ $given }, or change the input.
error-group-norm-groups = The channels do not divide into groups
    .cause = { $channels } channels do not divide into { COUNTED($groups, "group", "groups") } of the same size.
    .repair = Choose a number of groups that divides { $channels }.
error-conv-groups = The channels do not divide into groups
    .cause = { $side } in { $code } is no multiple of groups.
    .repair = Choose groups that divides in_channels and out_channels.
error-initialiser-of-a-vector = This initialiser needs a matrix
    .cause = It computes its range from the numbers of inputs and outputs, and the tensor in { $code } has fewer than two axes.
    .repair = Use it for weights; initialise a bias with nn.init.zeros_.
error-sparse-adam-dense = SparseAdam takes sparse gradients alone
    .cause = At { $code } a parameter has a dense gradient. Only embeddings made with sparse=True get sparse ones.
    .repair = Make the layers with nn.Embedding(…, sparse=True) and give only these to SparseAdam, the others to Adam.
error-scheduler-without-initial-rate = The scheduler does not know where the rate began
    .cause = With last_epoch, { $code } continues an earlier run, and group { $group } of the optimizer has no initial_lr.
    .repair = Leave last_epoch away, or load the optimizer’s state_dict first: a scheduler that was made before it was saved has put initial_lr into it.
error-state-dict-shape = A saved parameter has another shape
    .cause = { $name } was saved with shape { $given }, and the { $type } here has { $wanted }.{ $more ->
        [0] {""}
        [one] { " " }The shape of { $others } differs too.
       *[other] { " " }The shapes of { $more } others differ too: { $others }.
    }
    .repair = Make the module with the sizes it was saved with. To take over a part of it, such as all but the last layer, load that part into its own module.
error-state-dict-missing = Entries are missing in the state_dict
    .cause = The { $type } also has { $missing }, and the dictionary of { $code } does not.
    .repair = Build the module as it was when saved, or load into the part of it that was saved.
error-state-dict-extra = The state_dict has entries too many
    .cause = The dictionary of { $code } has { $extra }, and the { $type } has no such parameter.
    .repair = Build the module as it was when saved, or remove from the dictionary what is not wanted.
error-state-dict-names = The state_dict has other names
    .cause = The { $type } wants { $missing }, and the dictionary has { $extra }: it belongs to a module built otherwise.
    .repair = Build the module as it was when saved, or rename the keys.
error-state-dict-wanted = A dictionary is wanted
    .cause = load_state_dict takes what state_dict() returned, and was given a { $type }.
    .repair = Pass other.state_dict().
error-optimizer-of-empty-list = The optimizer has nothing to change
    .cause = The list of parameters in { $code } is empty.
    .repair = Pass net.parameters(), or a list of the tensors to be learnt.
error-layers-in-a-list = Layers in a Python list or dict are not found
    .cause = self.{ $name } on line { $line } is a plain { $kind ->
        [ModuleDict] dict
       *[ModuleList] list
    }; a module finds only layers that are attributes themselves, so { $code } gets no parameters.
    .repair = Write { $kind ->
        [ModuleDict] nn.ModuleDict({"{"}...{"}"})
       *[ModuleList] nn.ModuleList([...])
    }.
error-module-without-parameters = The module has no parameters
    .cause = { $name } has nothing to learn: none of its layers has weights, or they are kept where the module does not find them.
    .repair = Store layers and nn.Parameter as attributes of the module. A generator such as parameters() is also empty after its first use.
error-optimizer-of-nothing = The optimizer has nothing to change
    .cause = The parameters given in { $code } are empty; a generator such as parameters() is empty after its first use.
    .repair = Pass net.parameters() again, or a list.
error-optimizer-of-a-module = The module in place of its parameters
    .cause = { $function } takes parameters; { $name } is the module itself, a { $type }.
    .repair = Write { $name }.parameters().
error-parameters-not-called = A method without its brackets
    .cause = { $name } is the method; only its result holds the parameters.
    .repair = Write { $name }().
error-optimizer-of-a-tensor = One tensor in place of a list
    .cause = An optimizer takes a list of tensors, and { $name } is one tensor.
    .repair = Write [{ $name }].
error-optimizer-of-non-leaf = The tensor is a result, not a leaf
    .cause = { $name } (line { $where }) comes out of an operation; { $code } can change only leaves, tensors that were made directly.
    .repair = Give the leaf it was computed from, or end its line with .detach().requires_grad_().
error-optimizer-of-state-dict = Names in place of parameters
    .cause = An optimizer wants the tensors themselves; { $code } gives names, or pairs with names.
    .repair = Pass parameters().
error-optimizer-of-numbers = Values that are no tensors
    .cause = An optimizer changes tensors, and one of the values in { $code } is of type { $type }.
    .repair = Make tensors of them: torch.tensor(..., requires_grad=True).
error-optimizer-of-modules = A module in place of its parameters
    .cause = An optimizer changes tensors, and { $code } hands it a module, a { $type }.
    .repair = Pass { $name ->
        [none] the parameters of each module: .parameters()
       *[other] { $name }.parameters()
    }.
error-optimizer-of-generators = Lists of parameters inside a list
    .cause = An optimizer changes tensors. Each entry of the list in { $code } is itself a row of parameters.
    .repair = Write * before each .parameters(), so that the list holds the tensors themselves.
error-optimizer-without-parameters = The optimizer is given no parameters
    .cause = { $class } needs the parameters first, and { $code } gives none.
    .repair = Pass net.parameters() as the first argument.
error-optimizer-value-out-of-range = A setting out of its range
    .cause = { $name } is { $value } in { $code }.
    .repair = Learning rate, momentum and weight decay are not negative; betas lie between 0 and 1.
error-optimizer-setting-is-text = A setting is text
    .cause = A setting in { $code } is a str, and the optimizer compares it with a number.
    .repair = Write the number without quotes; of a setting that was read from a file, float(…). YAML reads 1e-3 as text, and 1.0e-3 as a number.
error-betas-of-two-kinds = betas of two types
    .cause = In { $code } one of the two betas is a float and the other is not.
    .repair = Write both as floats, such as 0.0 in place of 0.
error-list-of-lists = Lists in place of tensors
    .cause = { $code } takes a list of tensors, and its elements are of type { $type }.
    .repair = Make each a tensor first: [torch.tensor(one) for one in …].
error-lengths-not-sorted = The sequences are not sorted by length
    .cause = { $code } expects the longest sequence first, and these lengths are in another order.
    .repair = Pass enforce_sorted=False: torch then sorts them itself and puts them back.
error-scatter-of-two-kinds = { $method } of two dtypes
    .cause = In { $code } the tensor that is written to and the values have different dtypes.
    .repair = Convert the values to the dtype of the tensor, as with .to(tensor.dtype).
error-iterator-has-no-next = Python 3 asks for the next batch by next()
    .cause = The iterator of a DataLoader has no method next any more: { $code } is code of Python 2.
    .repair = Write next(…) around the iterator, without .next().
error-file-of-objects = The file holds more than tensors
    .cause = Since version 2.6 torch.load reads tensors and plain values only. This file also holds { $object }, and reading such objects can run any code that is in the file.
    .repair = Save model.state_dict() and load it into a new model. For a file that you trust, pass weights_only=False.
error-optimizer-has-no-backward = backward belongs to the loss
    .cause = { $type } changes parameters by their gradients; the gradients come from the loss: { $code }.
    .repair = Call loss.backward(), then step().
error-parameter-in-two-groups = A parameter is in two groups
    .cause = A tensor is in more than one group of { $code } and would be updated twice in a step.
    .repair = Leave it in one group.
error-scheduler-without-optimizer = The scheduler needs an optimizer
    .cause = { $code } was given a { $type }; a scheduler changes the learning rate of an optimizer.
    .repair = Pass the optimizer as the first argument.
error-dataset-lengths = The tensors have different lengths
    .cause = A dataset takes row i of every tensor; those in { $code } do not have the same number of rows.
    .repair = Compare .shape[0] of features and labels.
error-split-lengths = The parts do not make the whole
    .cause = The lengths in { $code } do not add up to the number of examples.
    .repair = Compute the last one: len(data) - n; or give fractions that add up to 1.
error-batch-size = A batch has at least one example
    .cause = batch_size is { $value } in { $code }.
    .repair = Give a whole number from 1 on.
error-dataset-is-empty = The dataset has no examples
    .cause = The dataset of { $code } has length 0, and shuffling needs examples to choose from.
    .repair = Check what the dataset was made of.
error-batch-of-unknown-type = Examples that make no batch
    .cause = __getitem__ returned a { $type }, and a batch is made of tensors, numbers, texts, or lists of them: { $code }.
    .repair = Return a tensor or a number, and check that return is there.
error-loader-indexed = A DataLoader has no positions
    .cause = A DataLoader gives its batches one after the other; { $code } asks for one by number.
    .repair = Write next(iter(loader)) for the first batch, or loop with for.
error-matrix-singular = The matrix has no inverse
    .cause = While eliminating, pivot { $index } became 0: the rows of the matrix are linearly dependent, so no matrix undoes { $code }.
    .repair = Check the entries, or use the pseudoinverse torch.linalg.pinv, or lstsq for a system.
error-matrix-singular-in-batch = A matrix of the batch has no inverse
    .cause = Matrix { $index } of the batch (counted from 0) has linearly dependent rows: { $code }.
    .repair = Check that matrix, or use torch.linalg.pinv.
error-array-singular = The matrix has no inverse
    .cause = The rows of the matrix in { $code } are linearly dependent.
    .repair = Check the entries, or use np.linalg.pinv.
error-system-singular = The system has no single solution
    .cause = The rows of the matrix in { $code } are linearly dependent: there are no solutions, or infinitely many.
    .repair = Use torch.linalg.lstsq or pinv for a solution with the least error.
error-not-positive-definite = The matrix is not positive definite
    .cause = A Cholesky factor exists only where all eigenvalues are above 0, and those of the matrix in { $code } are not.
    .repair = Check that it is symmetric and computed as A.T @ A; a small multiple of torch.eye(n) added helps against rounding.
error-matrix-not-square = The matrix is not square
    .cause = { $function } is defined for square matrices, and this one is { $rows } by { $columns }.
    .repair = Check the shape; for other matrices use torch.linalg.pinv or svd.
error-array-not-square = The matrix is not square
    .cause = { $code } is defined for square matrices only.
    .repair = Check the shape; for other matrices use np.linalg.pinv.
error-matrix-wanted = A matrix is wanted
    .cause = { $function } works on matrices, and the tensor in { $code } has fewer than two axes.
    .repair = Give a tensor with two axes; unsqueeze adds one.
error-matrix-not-finite = The matrix holds NaN or inf
    .cause = { $code } found entries that are NaN or infinite, or the method did not settle.
    .repair = Look with torch.isfinite(A).all() where they come from.
error-system-shapes = Matrix and right-hand side don't match
    .cause = In A X = B, A and B need the same number of rows: A is { $first } and B is { $second }.
    .repair = Compare the number of rows of A and B.
error-lstsq-shapes = Matrix and right side do not fit
    .cause = lstsq wants a right side with as many rows as the matrix, on axis -{ $axis }: { $code }.
    .repair = Compare the rows; a vector becomes a column with unsqueeze(-1).
error-cross-product-not-three = A cross product needs three entries
    .cause = The vectors in { $code } do not have length 3.
    .repair = Give vectors with three entries.
error-no-length = The dataset has no length
    .cause = A DataLoader asks the dataset how many examples it has, and class { $class } defines no __len__.
    .repair = Write def __len__(self): return the number of examples.
error-optimizer-of-an-operation = The tensor is a result, not a leaf
    .cause = { $made } (line { $where }) makes a new tensor by an operation; { $call } can change only leaves, tensors that were made directly.
    .repair = Pass the leaf, and compute { $made } from it where you use it; or make a new leaf of its values with .detach().requires_grad_().
error-optimizer-of-a-list-of-results = The tensors are results, not leaves
    .cause = What { $name } brings was computed by { $made } on line { $where }; { $call } can change only leaves, tensors that were made directly.
    .repair = Let { $name } bring the leaves, or make new leaves of those values with .detach().requires_grad_().
error-optimizer-of-rows = The rows of a tensor are no leaves
    .cause = { $code } goes through { $name } itself, which gives its rows one by one. A row is the result of an operation, no leaf.
    .repair = Put the tensor into a list: [{ $name }].
error-optimizer-of-some-non-leaf = A tensor is a result, not a leaf
    .cause = One of the tensors that { $code } gets came out of an operation; an optimizer can change only leaves, tensors that were made directly.
    .repair = Print is_leaf of each of them; give the leaf it was computed from, or make a new one with .detach().requires_grad_().
error-optimizer-state-of-another = The saved state is of other parameters
    .cause = { $code } loads the state of an optimizer with other parameter groups: each group has to hold as many parameters as it did when it was saved.
    .repair = Build the model and its optimizer as they were when saved, with the same layers and groups; or begin with a fresh optimizer.
error-scaler-without-a-scale = The scaler has scaled no loss
    .cause = { $code } needs the factor that the scaler makes when it first scales a loss. No loss was scaled before.
    .repair = Run backward from the scaled loss: scaler.scale(loss).backward().
error-scaler-without-gradients = The optimizer has no gradients
    .cause = { $code } looks for infinite entries in the gradients, and no parameter of this optimizer has a gradient.
    .repair = Call scaler.scale(loss).backward() before, and give the optimizer the parameters that the loss depends on.
error-scaler-without-a-step = The scaler has seen no step
    .cause = { $code } adjusts the scale from the gradients that step() or unscale_() checked, and neither has run.
    .repair = Call scaler.step(optimizer) first.
error-scaler-out-of-order = The scaler's calls are out of order
    .cause = A GradScaler prepares the gradients of an optimizer once between two calls of update(): unscale_ divides them by the factor, and step does so where unscale_ did not. { $code } comes { $when ->
        [after] after step
       *[since] a second time
    }, with no update() between.
    .repair = In each round, after backward: scaler.unscale_(optimizer) at most once, scaler.step(optimizer), and last scaler.update().
error-scaler-of-float16 = Weights in float16
    .cause = { $code } would divide gradients of float16 by the factor, where small ones become 0 again: the scaler is made for weights in float32.
    .repair = Keep the model in float32, without half(), and compute its forward under torch.autocast.
error-recurrent-batch = A state for another batch size
    .cause = The hidden state given in { $code } was made for { COUNTED($made, "example", "examples") }, and this batch has { $batch }.
    .repair = Make it with the size of the input, as x.size(0) with batch_first=True, or leave it out: it then starts at zero.
error-recurrent-state-of-another-batch = A state for another batch size
    .cause = The hidden state given in { $code } was made for { COUNTED($made, "example", "examples") }, and this batch has { $batch }: the last batch of a DataLoader may be shorter.
    .repair = Make the state with the size of the input, as x.size(0) with batch_first=True; or leave the short batch out: DataLoader(..., drop_last=True).
error-recurrent-gives-two = A recurrent layer gives two things
    .cause = { $layer } gives a tuple: the outputs of all steps, and the last state. { $code } uses the tuple as if it were one tensor.
    .repair = Take it apart, as in out, state = { $layer }(x), or use [0].
error-recurrent-gives-two-inside = A recurrent layer gives two things
    .cause = { $layer } gives a tuple: the outputs of all steps, and the last state. In { $code } the next layer is given that tuple in place of one tensor.
    .repair = Call the layers one after the other: out, state = { $layer }(x), then the next one with out.
error-batch-of-other-shapes = The examples of a batch differ in shape
    .cause = A DataLoader stacks the examples of a batch. Example { $i } has shape { $first }, example { $k } has { $second }.
    .repair = Bring them to one shape in the dataset, or pad them in a collate_fn of the DataLoader, as with torch.nn.utils.rnn.pad_sequence.
error-reduction-gives-two = Entries and positions in a pair
    .cause = { $made } gives two tensors, the entries and their positions; { $code } uses the pair as if it were one.
    .repair = Write { $name }.values for the entries, or { $name }.indices for the positions.
error-example-is-none = An example is None
    .cause = The DataLoader puts the examples that { $class }.__getitem__ returns together into a batch, and one of them, or a part of one, is None.
    .repair = Return something for every part of every example. What shall be left out is left out before, when the dataset is made.
error-state-dict-prefix = Every name has a prefix more
    .cause = Every name in the dictionary begins with { $prefix }, as { $first }; the module calls it { $second }. DataParallel and DistributedDataParallel put module. before the names.
    .repair = Take the prefix off every name before loading.
error-state-dict-no-prefix = Every name lacks a prefix
    .cause = Every name of the module begins with { $prefix }, as { $first }; the dictionary calls it { $second }. The saved module was a part of this one, or not wrapped.
    .repair = Load it into that part, or put { $prefix } before every name.
error-attention-mask-shape = The mask does not fit the attention
    .cause = attn_mask has shape ({ $given }), and the attention compares queries with keys in a table of shape ({ $wanted }).
    .repair = Make the mask with a row for each query and a column for each key: ({ $wanted }).
error-plateau-without-a-value = ReduceLROnPlateau wants the loss
    .cause = ReduceLROnPlateau lowers the learning rate when a measured value stops getting better, and { $code } gives it none.
    .repair = Give it that value, usually the validation loss: step(val_loss).
error-tuple-for-one-tensor = A tuple in place of one tensor
    .cause = { $name } is a tuple with { COUNTED($count, "entry", "entries") }: { $parts }.{ $where ->
        [0] {""}
       *[other] {" "}It comes from { $made } on line { $where }.
    } { $code } uses it as one tensor.
    .repair = Take the entry that is meant, as in { $name }[0], or unpack the tuple where it is made.
error-loss-is-a-tuple = The loss is a tuple
    .cause = { $name } is a tuple of { $count } scalars{ $where ->
        [0] {""}
       *[other] {" "}from { $made } on line { $where }
    }; backward() belongs to a tensor.
    .repair = Call backward() on the one that is the loss, as in { $name }[0], or on their sum.
error-call-gives-several = The call returns several values
    .cause = { $call } returns a tuple, and { $code } uses it as one tensor.
    .repair = Unpack it first, as in out, other = { $call }, or take one entry: { $call }[0].
error-pair-compared = Entries and positions in a pair
    .cause = { $name } is a pair, the entries and their positions{ $where ->
        [0] {""}
       *[other] , from { $made } on line { $where }
    }. Compared with a tensor as a whole it is just False.
    .repair = Write { $name }.indices for the positions, or { $name }.values for the entries.
error-nothing-returned = The function returns nothing
    .cause = { $function } on line { $where } has no return with a value, so its call gives None, which { $code } uses.{ $last ->
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
        [none] Define { $name } in the class, or call what it should be.
       *[other] Write { $right }.
    }
error-script-method = TorchScript does not know { $name }
    .cause = torch.jit.script compiles { $at ->
        [none] the function
       *[other] { $at }
    }, and { $type } has no method { $name } there.
    .repair = Use a method that tensors have; if this one exists in Python only, compute it outside of the scripted function.
error-script-undefined = TorchScript does not find { $name }
    .cause = torch.jit.script compiles the function by itself: { $name } is neither one of its arguments nor a value that TorchScript can use.
    .repair = Pass { $name } as an argument, or make it an attribute of the module.
error-dict-for-one-tensor = A dict in place of one tensor
    .cause = { $name } is a dict with the keys { $parts }. { $code } uses it as one tensor.
    .repair = Pass the entry that is meant, as in { $name }["{ $key }"].
error-batch-for-one-tensor = A whole batch in place of one tensor
    .cause = The loop on line { $where } makes { $name } a list with { COUNTED($count, "entry", "entries") }: { $parts }. { $code } uses it as one tensor.
    .repair = Unpack it in the loop, as in for x, y in loader, or take the entry that is meant: { $name }[0].
error-state-dict-as-module = A state_dict is no module
    .cause = { $name } comes from { $made } on line { $where }: a dictionary of saved parameters. { $method } belongs to a module.
    .repair = Make the module first, then hand it the dictionary: net.load_state_dict({ $name }).
error-next-without-iter = next() needs an iterator
    .cause = { $code } asks a { $type } for its next entry, and it has no position: iter() gives an iterator, which has one.
    .repair = Write { $right }.
error-name-given-to-result = The name now refers to the result
    .cause = Line { $where } assigns the result of { $made } to { $name }. { $name } is now a tensor, so { $code } cannot call it.
    .repair = Give the result another name.
error-lstm-state-alone = An LSTM needs two states
    .cause = { $layer } is an LSTM, whose state is a pair: hidden state and cell state. { $code } gives it { $state } alone.
    .repair = Give both, as in { $layer }(x, (h, c)), with c of the shape of h.
error-closure-missing = This optimizer needs a closure
    .cause = { $function }() computes the loss several times in a step and wants a function that does that.
    .repair = Define a closure that clears the gradients, computes the loss, calls backward() and returns the loss; call step(closure).
error-init-misspelt = __init__ is misspelt
    .cause = Python calls only __init__ when a { $class } is made. Line { $line } writes { $written }, so it never ran and self.{ $name } was never set.
    .repair = Write __init__ with two underscores on each side, also behind super().
