"""The machinery: records, the tasks that make them, verdicts on them, checks of both."""
