# The page /class: one link that opens a list of links.

nav-classes = Class link
class-heading = One link for a class
class-lede = Write down what the class opens: lessons, and links from Share. The list is in the link itself; the server keeps nothing.
class-title = Title
class-lessons = Lessons
class-choose = Choose lessons
class-add = Add
class-list = Links, one in each line
class-example = Warm-up | https://…
class-help = Name | address, or an address alone, or the id of a lesson such as autograd/leaf. Addresses are those of this app, as Share copies them.
class-link = The link for the class
class-copy = Copy
class-copied = Copied.
class-seen = What the class sees
class-untitled = For the class
class-empty = The lessons and links of your list appear here, numbered, one press each.
class-large = The list makes a link of { $size } characters; at most { $most } work. Take fewer or shorter programs.
class-wrong-other = Line { $line } leads to another site: “{ $text }”. The list holds links of this app only.
class-wrong-page = Line { $line } names no page of this app: “{ $text }”.
class-wrong-large = Line { $line } is too long for a link: “{ $text }”.
class-wrong-unread = Line { $line } is neither a link of this app nor the id of a lesson: “{ $text }”. Copy it with Share, or choose the lesson above.
class-wrong-many = From line { $line } on there are more than 60 links: “{ $text }” and what follows is left out.
class-title-example = Week 3: gradients
class-order = The list, in the order of the class. Move a line with ↑ and ↓, by keyboard Alt with ↑ or ↓.
class-up = Move up
class-down = Move down
class-drop = Remove
class-begin = Here you put together what your class opens in the next lesson.
class-step-1 = Add lessons, and links that Share copies on any page.
class-step-2 = Put them in order. Beside it you see what the class sees.
class-step-3 = Copy one link and give it to the class. Nobody needs an account.
class-begin-with = Start with “{ $title }” ({ $count } lessons)
class-address = Link from Share
class-name = Its name in the list
class-name-example = Warm-up
class-as-text = Edit the list as text

# Answers of a class as codes.

codes-hand-in = Hand in your answers
codes-hand-in-says = The code holds your name and your answers. Copy it and send it to your teacher. It is made here; the server does not keep it.
codes-name = Your name
codes-read = Read the answers of a class
codes-read-says = Learners make a code under “Hand in your answers”, on the page of this link or on the map of the lessons. Paste the codes here. They are not kept: close the page and they are gone. A code shows what was answered and proves nothing: it can be written by hand.
codes-paste = Codes, one in each line
codes-wrong = Line { $line } is no answer code, or a part of it is missing: “{ $text }”.
codes-wrong-more = { $count } more lines are no answer codes.
codes-left-out = Only the first { $most } lines, and 400,000 characters, are read.
codes-caption = Right answers
codes-learner = Learner
codes-unnamed = without a name
codes-right = { $right } of { $all }
codes-tries = { $count } wrong
codes-hints = { $count ->
    [one] 1 hint
   *[other] { $count } hints
}
codes-state-right = right
codes-state-shown = the answer was shown
codes-state-open = not answered right
codes-lesson = Question by question
