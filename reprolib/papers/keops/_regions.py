"""Groupings of the 64 electrodes into 17 regions; the paper does not list its own."""

from __future__ import annotations

import numpy as np

from reprolib.methods.keops import KernelTree

#: Rows of the cap, by prefix of the electrode's name, front to back.
FRONT_TO_BACK = {
    "prefrontal": ("Fp", "AF"),
    "frontal": ("F",),
    "central": ("FC", "C", "CP"),
    "parietal": ("P",),
    "occipital": ("PO", "O", "I"),
}
PO_PARIETAL = {**FRONT_TO_BACK, "parietal": ("P", "PO"), "occipital": ("O", "I")}
TEMPORAL = ("FT", "T", "TP")


def region(channel: str, rows=None) -> str:
    """Region of an electrode: row of the cap by side, or the temporal lobe of its side.

    Odd numbers are left, even ones right, z the midline.
    """
    prefix = channel.rstrip("z0123456789")
    number = channel[len(prefix) :]
    side = "midline" if number == "z" else ("left" if int(number) % 2 else "right")
    if prefix in TEMPORAL:
        return f"temporal {side}"
    rows = FRONT_TO_BACK if rows is None else rows
    return f"{next(row for row, prefixes in rows.items() if prefix in prefixes)} {side}"


def regions(channels, grouping: str = "lobes") -> list[str]:
    """Region of every electrode under a named grouping.

    Parameters
    ----------
    channels : sequence of str
    grouping : {"lobes", "PO parietal", "random"}
        "random" shuffles the regions of "lobes" over the electrodes (a control, seeded).
    """
    if grouping == "PO parietal":
        return [region(c, PO_PARIETAL) for c in channels]
    lobes = [region(c) for c in channels]
    if grouping == "random":
        return [lobes[i] for i in np.random.default_rng(17).permutation(len(lobes))]
    return lobes


def electrode_tree(channels, n_frames: int, grouping: str = "lobes") -> KernelTree:
    """Tree of three levels over the features: regions, channels, frames."""
    by_channel = regions(channels, grouping)
    return KernelTree.from_labels([np.repeat(by_channel, n_frames), np.repeat(channels, n_frames)])
