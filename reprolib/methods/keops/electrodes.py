"""The tree of KEOPS over the electrodes of a cap: regions of the head, channels, frames in time."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress

import mne
import numpy as np

from reprolib.methods.keops.tree import KernelTree
from reprolib.methods.shared.validation import COUNT

#: Rows of the cap, front to back: the letters with which the names of their electrodes begin.
FRONT_TO_BACK = {
    "prefrontal": ("Fp", "AF"),
    "frontal": ("F",),
    "central": ("FC", "C", "CP"),
    "parietal": ("P",),
    "occipital": ("PO", "O", "I"),
}
#: Letters of the temporal electrodes, which make one region on each side.
TEMPORAL = ("FT", "T", "TP")
#: A cap with names of the 10-10 system, which caps with other names are compared with.
CAP = "easycap-M1"
#: Centre of its sphere, in metres in mne's head coordinates, and that of heads in general (a little
#: further in front, between the spheres that makers of caps give and the heads of MRI templates).
CENTRE_OF_CAP, CENTRE = (0.0, 0.0, 0.04), (0.0, 0.005, 0.04)
#: An electrode this far from where the 10-10 system has its name, in degrees from the centre, has a
#: name of another system: neighbours are 20 apart, caps and heads differ by 16 at most.
FARTHEST = 30.0
#: Distances of a channel from the centre, in metres, that a head can have.
NEAREST_TO_CENTRE, FARTHEST_FROM_CENTRE = 0.03, 0.3


def region(channel: str, rows: Mapping[str, Sequence[str]] = FRONT_TO_BACK) -> str:
    """Region of an electrode of the 10-10 system, such as "parietal left".

    Parameters
    ----------
    channel : str
        Name of the electrode, in capitals or not: letters, then z or a number from 1 to 10. Odd
        numbers are left, even ones right, z is the midline.
    rows : mapping of str to sequence of str
        Letters of the electrodes of every row of the cap.

    Returns
    -------
    str
        Row of the cap and side, or "temporal" and side.

    Raises
    ------
    ValueError
        If this is no name of the 10-10 system.

    Examples
    --------
    >>> from reprolib.methods.keops.electrodes import region
    >>> region("POz"), region("C3"), region("T8")
    ('occipital midline', 'central left', 'temporal right')
    """
    letters = channel.rstrip("zZ0123456789")
    number = channel[len(letters) :].lower()
    of_letters = {name.upper(): row for row, names in rows.items() for name in names}
    of_letters |= {name.upper(): "temporal" for name in TEMPORAL}
    row = of_letters.get(letters.upper())
    if row is None or number not in ("z", *map(str, range(1, 11))):
        raise ValueError(f"{channel!r} is no name of an electrode of the 10-10 system.")
    side = "midline" if number == "z" else ("left" if int(number) % 2 else "right")
    return f"{row} {side}"


def tree_from_info(
    info: mne.Info, n_frames: int = 14, regions: str | Sequence[str] | None = "cap"
) -> KernelTree:
    """Tree of regions, channels and frames over the features of a recording.

    The features are channel by channel, the frames of each in their order, as `SpellerFeatures` and
    `mne.decoding.Vectorizer` give them; every feature is a kernel.

    Parameters
    ----------
    info : mne.Info
        Of a recording or of epochs, such as ``raw.info``. Its data channels without the bad ones
        are taken, as `SpellerFeatures` takes them.
    n_frames : int, default=14
        Number of frames of every channel, such as ``len(epochs.times)``; the default is that of
        `SpellerFeatures`.
    regions : "cap", sequence of str or None, default="cap"
        "cap" puts every channel in a region of the head, such as "parietal left". By the names if
        all channels are EEG with names of the 10-10 system, and those that have positions lie where
        that system has them. Else every channel goes to the region of the nearest electrode of that
        system, and must have a position (``raw.set_montage``). Channels inside of the head (sEEG,
        ECoG, DBS) have no such region. A sequence gives the region of each channel that is taken.
        None leaves the level out: a tree of channels and frames.

    Returns
    -------
    KernelTree
        Of three levels, or of two without regions; its ``labels`` have the names of the nodes.

    Raises
    ------
    ValueError
        If there is no good data channel, names are unknown and a channel has no position or one
        that is not in metres, channels are inside of the head, ``regions`` has another length than
        the channels, or ``n_frames`` is no whole number from 1 on.

    Warns
    -----
    UserWarning
        If the names are those of the 10-10 system and the places are not.

    See Also
    --------
    reprolib.SpellerFeatures : Features that fit the tree.
    reprolib.KEOPSClassifier : Selects among the nodes of the tree.

    Examples
    --------
    >>> import mne
    >>> from reprolib import tree_from_info
    >>> info = mne.create_info(["Fp1", "C3", "C5", "C4"], sfreq=240.0, ch_types="eeg")
    >>> tree = tree_from_info(info)
    >>> tree.labels[0].tolist(), tree.n_nodes
    (['central left', 'central right', 'prefrontal left'], (3, 4, 56))
    """
    if not COUNT.is_satisfied_by(n_frames):
        raise ValueError(f"n_frames is {n_frames!r}; give the number of frames of every channel.")
    picks = good_channels(info)
    names = [info["ch_names"][i] for i in picks]
    of_frames = np.repeat(names, n_frames)
    if regions is None:
        return KernelTree.from_labels([of_frames])
    if isinstance(regions, str):
        if regions != "cap":
            raise ValueError(
                f"regions is {regions!r}; give 'cap', the region of every channel, or None."
            )
        regions = _regions_of_head(info, picks)
    if isinstance(regions, Mapping | Set) or not all(
        isinstance(name, str | int | np.integer) for name in regions
    ):
        raise ValueError(
            f"regions is {regions!r}; give one name for each data channel, in their order."
        )
    if len(regions) != len(names):
        raise ValueError(
            f"regions has {len(regions)} names for {len(names)} channels; give one for each data "
            "channel that is not bad."
        )
    return KernelTree.from_labels([np.repeat(np.asarray(regions), n_frames), of_frames])


def good_channels(info: mne.Info) -> np.ndarray:
    """Numbers of the data channels (EEG, MEG and the like) that are not marked as bad.

    Parameters
    ----------
    info : mne.Info
        Of a recording.

    Returns
    -------
    ndarray of int
        In the order of the recording; channels of triggers, eyes and heart are not among them.

    Raises
    ------
    ValueError
        If there is none.
    """
    picks = mne.pick_types(
        info,
        meg=True,
        eeg=True,
        ref_meg=False,
        seeg=True,
        ecog=True,
        dbs=True,
        csd=True,
        fnirs=True,
        exclude="bads",
    )
    if not len(picks):
        kinds = sorted({mne.channel_type(info, i) for i in range(len(info["ch_names"]))})
        raise ValueError(
            f"The recording has no good data channel: its {len(info['ch_names'])} channels are of "
            f"the kinds {kinds}, {len(info['bads'])} of them bad; see raw.set_channel_types."
        )
    return picks


def _regions_of_head(info: mne.Info, picks: np.ndarray) -> list[str]:
    """Region of every channel: by its name where all names can be believed, else by its place."""
    names = [info["ch_names"][i] for i in picks]
    kinds = np.array([mne.channel_type(info, i) for i in picks])
    inside = np.isin(kinds, ("seeg", "ecog", "dbs"))
    if inside.any():
        raise ValueError(
            f"{np.array(names)[inside][:5].tolist()} of the kind {kinds[inside][0]} lie inside of "
            "the head, where the regions of a cap do not reach; give regions=None, the region "
            "of every channel, or pick the EEG channels."
        )
    cap = mne.channels.make_standard_montage(CAP)
    cap_info = mne.create_info(cap.ch_names, 1.0, "eeg").set_montage(cap)
    on_cap = _directions(cap_info, range(len(cap.ch_names)), CENTRE_OF_CAP)
    on_head = _directions(info, picks, CENTRE)
    lost = ~np.isfinite(on_head).all(axis=1)
    if np.isin(kinds, ("eeg", "csd")).all():
        with suppress(ValueError):
            by_name = [region(name) for name in names]
            places = dict(zip(map(str.upper, cap.ch_names), on_cap, strict=True))
            near = {
                name: on_head[i] @ places[name.upper()] >= np.cos(np.deg2rad(FARTHEST))
                for i, name in enumerate(names)
                if name.upper() in places and not lost[i]
            }
            if lost.all() or (near and all(near.values())):
                return by_name
            if not lost.any():
                foreign = [name for name in near if not near[name]] or names
                warnings.warn(
                    f"The names are those of the 10-10 system, but {foreign[:5]} do not lie where "
                    "it has them; the regions are those of the places. With wrong "
                    "places call raw.set_montage, or give the regions.",
                    stacklevel=3,
                )
    if lost.any():
        raise ValueError(
            "The names are not all those of EEG channels in the 10-10 system, or do not lie where "
            f"it has them, and {np.array(names)[lost][:5].tolist()} have no place on the head; "
            "call raw.set_montage, mark them as bad, or give the regions."
        )
    return [region(cap.ch_names[i]) for i in np.argmax(on_head @ on_cap.T, axis=1)]


def _directions(info: mne.Info, picks, centre) -> np.ndarray:
    """Unit vectors from a centre, in head coordinates, to the channels; NaN where one is lost."""
    places = np.array([info["chs"][i]["loc"][:3] for i in picks], dtype=float)
    places[~places.any(axis=1)] = np.nan
    on_device = np.array([mne.channel_type(info, i) in ("mag", "grad") for i in picks])
    if on_device.any():
        to_head = info["dev_head_t"]
        moved = np.nan if to_head is None else mne.transforms.apply_trans(to_head, places)
        places = np.where(on_device[:, None], moved, places)
    places = places - centre
    distances = np.linalg.norm(places, axis=1, keepdims=True)
    off = np.flatnonzero((distances < NEAREST_TO_CENTRE) | (distances > FARTHEST_FROM_CENTRE))
    if len(off):
        raise ValueError(
            f"{info['ch_names'][picks[off[0]]]} lies {distances[off[0], 0]:.3g} m from the middle "
            "of the head; give positions in metres, in head coordinates (raw.set_montage)."
        )
    return places / distances
