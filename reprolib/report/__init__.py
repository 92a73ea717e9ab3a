"""The HTML page, the scoreboard, the README block, the set-up of notebooks, the plot style."""
