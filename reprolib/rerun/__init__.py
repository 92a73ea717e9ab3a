"""The machinery of a rerun: tasks, records, printed numbers, verdicts; it names no paper."""
