"""Find errors and bugs, and report on gradients.

Belongs here: why a program stopped (errors), bugs without an error (faults), the report (health), numeric checks
(gradcheck), what a value had an effect on (influence). Does not belong here: causes of single numbers (explain).
"""
