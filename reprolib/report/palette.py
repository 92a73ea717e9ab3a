"""Colours of the report and of the README's picture, on a light and on a dark ground."""

from __future__ import annotations

#: Colour by use; a verdict under its word without spaces. Every mark has a contrast of 3 or more.
PALETTES = {
    "light": {
        "ink": "#1a1a1a",
        "soft": "#595959",
        "line": "#d9d9d9",
        "paper": "#ffffff",
        "accent": "#0b5a8a",
        "focus": "#b35900",
        "reproduced": "#00805d",
        "reproduced-under-a-reading": "#0072b2",
        "undecided": "#3487b8",
        "holds": "#00805d",
        "fails": "#c64f00",
        "not-reproduced": "#c64f00",
        "quoted": "#767676",
        "not-run": "#767676",
    },
    "dark": {
        "ink": "#e8e8e8",
        "soft": "#b0b0b0",
        "line": "#444444",
        "paper": "#161616",
        "accent": "#7fc4f5",
        "focus": "#ffb347",
        "reproduced": "#1fc79a",
        "reproduced-under-a-reading": "#56a8e8",
        "undecided": "#8fd0f5",
        "holds": "#1fc79a",
        "fails": "#ff8a4c",
        "not-reproduced": "#ff8a4c",
        "quoted": "#9a9a9a",
        "not-run": "#9a9a9a",
    },
}
