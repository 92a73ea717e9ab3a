"""The study across the papers: experiment, methods, splits, summaries, figures."""
