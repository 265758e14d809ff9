# The gallery, and the filter of examples and lessons.

nav-gallery = Gallery
gallery-title = Gallery
gallery-lede = { $count } small programs and the pictures of their runs. Each asks a question. Press one: it opens, runs and answers, and you can change it.
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
gallery-earlier = Your program { $name } is kept.
gallery-back = Back to it
gallery-forget = Close this line; the program is then no longer kept
search-label = Search lessons and examples
search-hint = A term, a function or an error, such as leaf, detach or broadcasting
search-example = Example
search-lesson = Lesson
search-found = { $count ->
    [0] Nothing has these words. Try fewer, or another name of the thing.
   *[other] { $count } found.
}
