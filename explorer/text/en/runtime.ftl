# What a run says about the notebook's surroundings it stands in.

limit-files = The program wrote more than { $bound } MB or more than 100 files. Write less, or remove files it no longer needs.
