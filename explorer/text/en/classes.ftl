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
class-seen = What the class sees:
class-untitled = For the class
class-empty = There is no link in this list.
class-change = Make a list like this
class-large = The list makes a link of { $size } characters; at most { $most } work. Take fewer or shorter programs.
class-wrong-other = Line { $line } leads to another site: “{ $text }”. The list holds links of this app only.
class-wrong-page = Line { $line } names no page of this app: “{ $text }”.
class-wrong-large = Line { $line } is too long for a link: “{ $text }”.
class-wrong-unread = Line { $line } is neither a link of this app nor the id of a lesson: “{ $text }”. Copy it with Share, or choose the lesson above.
class-wrong-many = From line { $line } on there are more than 60 links: “{ $text }” and what follows is left out.
