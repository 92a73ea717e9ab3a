"""Figures of MKMMC."""


def report_figures(records):
    """Placeholder."""
    return {}
