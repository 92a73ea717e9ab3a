"""Regions of the head, and the tree of KEOPS over the channels of a recording."""

from __future__ import annotations

import mne
import numpy as np
import pytest

from reprolib import KEOPSClassifier, tree_from_info
from reprolib.methods.keops.electrodes import region
from reprolib.methods.keops.tree import KernelTree


def make_info(names, kinds="eeg", montage=None):
    info = mne.create_info(list(names), 240.0, kinds)
    return info if montage is None else info.set_montage(montage)


def regions_of(tree):
    """Region of every channel, by name of the channel."""
    return dict(zip(tree.labels[1], tree.labels[0][tree.parents[1]], strict=True))


@pytest.mark.parametrize(
    ("channels", "expected"),
    [
        (["FCz", "Cz", "CPz", "CZ"], "central midline"),
        (["T9", "FT7", "tp7"], "temporal left"),
        (["Fp2", "FP2", "AF8"], "prefrontal right"),
        (["PO8", "O2"], "occipital right"),
    ],
)
def test_region_by_name(channels, expected):
    assert {region(channel) for channel in channels} == {expected}


@pytest.mark.parametrize(
    "channel",
    ["A1", "E17", "EEG 001", "C", "z", "AFF1h", "42", "C17", "P0", "F99", "P07", "Czz", "C\u0663"],
)
def test_other_names_are_refused(channel):
    with pytest.raises(ValueError, match="no name of an electrode of the 10-10 system"):
        region(channel)


def test_features_are_channel_by_channel():
    tree = tree_from_info(make_info(["Pz", "C3", "C5"]), n_frames=2)
    assert tree.n_nodes == (2, 3, 6)
    channel_of_feature = tree.labels[1][tree.ancestors()[1]]
    assert channel_of_feature.tolist() == ["Pz", "Pz", "C3", "C3", "C5", "C5"]
    assert tree_from_info(make_info(["Pz", "C3", "C5"])).n_nodes == (2, 3, 42)


def test_triggers_eyes_and_bad_channels_are_left_out():
    info = make_info(["C3", "EOG", "C4", "STI 014", "C5"], ["eeg", "eog", "eeg", "stim", "eeg"])
    info["bads"] = ["C4"]
    assert set(regions_of(tree_from_info(info))) == {"C3", "C5"}
    info["bads"] = ["C3", "C4", "C5"]
    with pytest.raises(ValueError, match=r"no good data channel.* 3 of them bad"):
        tree_from_info(info)


@pytest.mark.parametrize("cap", ["biosemi64", "easycap-M1", "brainproducts-RNP-BA-128"])
def test_the_places_say_the_same_as_the_names(cap):
    """One foreign name, and all channels are found by their places."""
    montage = mne.channels.make_standard_montage(cap)
    info = make_info([name for name in montage.ch_names if _is_known(name)], montage=montage)
    by_name = regions_of(tree_from_info(info, 1))
    numbers = {name: f"electrode {i}" for i, name in enumerate(info["ch_names"])}
    mne.rename_channels(info, numbers)
    by_place = regions_of(tree_from_info(info, 1))
    assert by_place == {numbers[name]: found for name, found in by_name.items()}


def _is_known(name):
    try:
        return bool(region(name))
    except ValueError:
        return False


def test_caps_whose_names_mean_another_place():
    """C3 of a cap with 128 electrodes A1 to D32 lies in the middle, and D23 on the left."""
    montage = mne.channels.make_standard_montage("biosemi128")
    found = regions_of(tree_from_info(make_info(montage.ch_names, montage=montage), 1))
    assert found["A1"] == "central midline"
    assert found["C17"].startswith("prefrontal")
    assert found["A23"].startswith("occipital")
    assert found["D23"].endswith("left")
    assert found["B26"].endswith("right")


@pytest.mark.parametrize("first", ["C1", "C7"])
def test_names_of_a_bank_do_not_speak_against_its_places(first):
    """C1 to C10 are numbers that the system has; that they lie in front is seen by their places."""
    montage = mne.channels.make_standard_montage("biosemi128")
    whole = regions_of(tree_from_info(make_info(montage.ch_names, montage=montage), 1))
    bank = [f"C{i}" for i in range(int(first[1:]), 11)]
    info = make_info(bank, montage=montage)
    with pytest.warns(UserWarning, match=rf"but \[.*'{bank[2]}'.*do not lie where it has them"):
        found = regions_of(tree_from_info(info, 1))
    assert found == {name: whole[name] for name in bank}
    info["chs"][0]["loc"][:3] = np.nan
    with pytest.raises(ValueError, match=rf"\['{first}'\] have no place"):
        tree_from_info(info)


@pytest.mark.parametrize("cap", ["spherical_1020", "standard_1005"])
def test_names_of_the_system_stand_where_makers_put_an_electrode_a_little_elsewhere(cap):
    known = mne.channels.get_builtin_montages()
    old = {"spherical_1020": "standard_1020", "standard_1005": "colin27_1005"}
    montage = mne.channels.make_standard_montage(cap if cap in known else old[cap])
    info = make_info(["F3", "P3", "Pz", "Oz"], montage=montage)
    found = regions_of(tree_from_info(info, 1))
    assert found == {name: region(name) for name in info["ch_names"]}


@pytest.mark.parametrize("kind", ["seeg", "ecog", "dbs"])
def test_contacts_inside_of_the_head_are_in_no_region_of_a_cap(kind):
    montage = mne.channels.make_standard_montage("easycap-M1")
    for places in (None, montage):
        info = make_info(["Cz", "T7", "P3"], ["eeg", kind, kind], places)
        with pytest.raises(ValueError, match=rf"\['T7', 'P3'\] of the kind {kind} .*regions=None"):
            tree_from_info(info)
        assert tree_from_info(info, 2, regions=None).n_nodes == (3, 6)
        own = tree_from_info(info, 2, regions=["cap", "shaft", "shaft"])
        assert own.n_nodes == (2, 3, 6)


def test_names_count_for_eeg_only():
    with pytest.raises(ValueError, match=r"names are not all those of EEG.*\['C3', 'C4'\]"):
        tree_from_info(make_info(["C3", "C4"], "mag"))


def test_places_in_millimetres_are_refused():
    info = make_info(["X1", "X2"])
    for channel, x in zip(info["chs"], (-85.0, 85.0), strict=True):
        channel["loc"][:3] = [x, 0.0, 40.0]
    with pytest.raises(ValueError, match=r"X1 lies 9\d.* m from .*; give positions in metres"):
        tree_from_info(info)


@pytest.mark.parametrize("n_frames", [0, -1, 2.0, True, "14", None])
def test_a_number_of_frames_that_is_none_is_refused(n_frames):
    with pytest.raises(ValueError, match="n_frames is"):
        tree_from_info(make_info(["Cz"]), n_frames)


def test_true_is_no_number_of_a_kernel():
    with pytest.raises(ValueError, match="The tree has True at position"):
        KernelTree.from_nested([[True, 0]])


def test_magnetometers_by_their_place_on_the_head():
    info = make_info(["MEG 0111"], "mag")
    info["chs"][0]["loc"][:3] = [-0.1, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"\['MEG 0111'\] have no place on the head"):
        tree_from_info(info)
    with info._unlock():  # what a reader of MEG recordings does
        info["dev_head_t"] = mne.transforms.Transform("meg", "head")
    assert regions_of(tree_from_info(info, 1)) == {"MEG 0111": "temporal left"}


def test_channels_without_a_name_or_a_place_are_named():
    with pytest.raises(ValueError, match=r"\['Cz', 'X1'\] have no place.*set_montage"):
        tree_from_info(make_info(["Cz", "X1"]))


def test_regions_of_ones_own_and_none():
    info = make_info(["X1", "X2", "X3"])
    own = tree_from_info(info, 2, regions=["front", "back", "front"])
    assert regions_of(own) == {"X1": "front", "X2": "back", "X3": "front"}
    assert tree_from_info(info, 2, regions=None).n_nodes == (3, 6)
    with pytest.raises(ValueError, match="2 names for 3 channels"):
        tree_from_info(info, 2, regions=["front", "back"])
    for wrong in (["a", None, "b"], {"X1": "a", "X2": "b", "X3": "b"}, {"a", "b", "c"}):
        with pytest.raises(ValueError, match="regions is .*in their order"):
            tree_from_info(info, 2, regions=wrong)
    with pytest.raises(ValueError, match="regions is 'lobes'"):
        tree_from_info(info, 2, regions="lobes")


def test_keops_takes_the_tree():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 12))
    X[:, :4] += 2.0 * y[:, None]
    tree = tree_from_info(make_info(["Cz", "O1", "O2"]), n_frames=4)
    model = KEOPSClassifier(tree, p=0.5).fit(X, y)
    assert model.selected_[:4].any()
    assert model.n_selected_[0] == 1
