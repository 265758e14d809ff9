"""The language ring: what a program of a stranger may say, and a clear refusal of the rest.

In here: the table that holds the policy (`table`, `table_modules`, `table_types`), the transformer that puts checks
into a syntax tree (`syntax`), the checks themselves (`guards`), what stands in for what reaches too far (`stand_ins`,
`standard_stand_ins`, `torch_stand_ins`), what is closed inside the libraries (`memory`), and modules as proxies
(`modules`). Not in here: compiling and running (the room around), processes and their confinement (sandbox), and the
words of a refusal (text). The ring is not the boundary: the operating system's is. It tells early, with a place and a
reason, and it is the second wall.
"""

from explorer.runtime.policy.modules import prepare
from explorer.runtime.policy.namespace import Ring
from explorer.runtime.policy.refusal import Refused
from explorer.runtime.policy.syntax import check_text, transform

__all__ = ["Refused", "Ring", "check_text", "prepare", "transform"]
