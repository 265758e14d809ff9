# What an example shows, in one sentence, and one question to think about, shown while its program is unchanged.

close = Close
lesson-dismiss = Close this line
