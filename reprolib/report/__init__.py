"""The HTML page, counts of verdicts, the README block, the set-up of notebooks, the plot style."""
