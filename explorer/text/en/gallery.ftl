# The gallery, and the filter of examples and lessons.

nav-gallery = Gallery
gallery-lede = { $count } small programs with pictures of their runs. Each asks a question. Click one to open and run it, then change it.
gallery-subject = Subject
gallery-all = All
gallery-surprising = Surprising
gallery-tensors = Tensors
gallery-algebra = Linear algebra
gallery-calculus = Calculus
gallery-autograd = Autograd
gallery-training = Training
gallery-training-steps = Training, step by step
gallery-techniques = Techniques
search-label = Search lessons and examples
search-hint = A term, a function or an error, such as leaf, detach or broadcasting
search-example = Example
search-lesson = Lesson
search-found = { $count ->
    [0] No results. Try fewer words, or another term.
   *[other] { $count } found.
}
