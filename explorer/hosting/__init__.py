"""What a server for strangers needs: who may come, how often they ask, and how much they use.

Belongs here: places for sessions (seats), pace and size of messages (inbound_messages, send_queue), files in and out
(uploads, exports), processor time of a page part (processor_budget), names and operator of the server (host_names,
host) and metrics. Does not belong here: whether the app is hosted, and the turns of programs (explorer.sandbox).
At home the same code runs, with limits that nobody meets.
"""
