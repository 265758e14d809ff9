# The gallery, and the filter of examples and lessons.

nav-gallery = Gallery
gallery-lede = { $count } small programs with pictures of their runs. Each asks a question. Click one to open and run it, then change it.
gallery-subject = Subject
    .all = All
    .surprising = Surprising
    .tensors = Tensors
    .algebra = Linear algebra
    .calculus = Calculus
    .autograd = Autograd
    .training = Training
    .training-steps = Training, step by step
    .techniques = Techniques
search-label = Search lessons and examples
search-hint = A term, function or error, such as detach
search-example = Example
search-lesson = Lesson
search-found = { $count ->
    [0] No results. Try fewer words, or another term.
   *[other] { $count } found.
}
