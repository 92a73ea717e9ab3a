"""Tables and figures of the study across the papers say what the records say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from reprolib.cli.main import main
from reprolib.papers.across import figures
from reprolib.papers.across import protocol as across
from reprolib.papers.across.protocol import ALL_COLUMNS, METHODS
from reprolib.report import page as report
from reprolib.rerun import records as results
from reprolib.rerun.statistics import compare_ranks
from reprolib.rerun.task import HEADLINE, Measurement, Task
from reprolib.rerun.worker import row_of
from tests.naive import comparison as naive

KEYS = ("kpm", "mkl", "svc", "logistic", "gradient boosting", "simplex boosting")
SETS = ("raetsch/heart", "raetsch/german", "uci/letter", "faces/orl")


def made_up(status="ok"):
    """Records of six methods on four sets in three trials; MKL on the two binary sets only."""
    rng, rows = np.random.default_rng(0), []
    for i, name in enumerate(SETS):
        for key in KEYS:
            if METHODS[key].binary_only and i > 1:
                continue
            for trial in range(3):
                measured = {
                    "accuracy": rng.uniform(0.7, 0.9),
                    "test overlap": 0.25,
                    "fits": 28,
                    "fits not converged": 2.0 * (key == "kpm"),
                    "configurations not converged": 1.0 * (key == "kpm"),
                }
                task = Task("across", "accuracy", name, key, HEADLINE, trial)
                seconds = 100.0 if trial == 0 else 1.0 + KEYS.index(key)
                if status != "ok":
                    measured = {"failed": np.nan}
                for metric, value in measured.items():
                    config = METHODS[key].grid[0 if trial else -1]
                    m = Measurement(metric, value, config, n_test=100, status=status)
                    rows.append(row_of(task, m, "partial", seconds))
                status = "ok"
    for key in across.TREES:
        task = Task("across", "accuracy", "faces/orl", key, ALL_COLUMNS, 0)
        rows.append(row_of(task, Measurement("accuracy", 0.95, n_test=100), "partial", 1.0))
    return results.to_frame(rows)


@pytest.fixture(scope="module")
def records():
    return made_up()


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def value(records, name, key, trial, metric="accuracy"):
    rows = records[(records["dataset"] == name) & (records["method"] == key)]
    rows = rows[(rows["trial"] == trial) & (rows["metric"] == metric)]
    return rows[rows["reading"] == HEADLINE]["value"].item()


def test_one_representative_for_each_idea():
    families = [METHODS[key].family for key in figures.REPRESENTATIVES]
    assert len(set(families)) == len(families)
    assert not any(METHODS[key].binary_only for key in figures.REPRESENTATIVES)


def test_accuracy_is_the_mean_over_the_trials(records):
    table = figures.accuracy_table(records)
    assert list(table.columns) == [key for key in METHODS if key in KEYS]
    expected = np.mean([value(records, "uci/letter", "svc", t) for t in range(3)])
    assert table.loc["uci/letter", "svc"] == pytest.approx(100 * expected)
    assert np.isnan(table.loc["uci/letter", "mkl"])


def test_blocks_that_are_compared_are_complete(records):
    table = figures.accuracy_table(records)
    everywhere = figures.comparable(table)
    assert list(everywhere.index) == sorted(SETS)
    assert "mkl" not in everywhere.columns
    binary = figures.comparable(table, binary=True)
    assert sorted(binary.index) == ["raetsch/german", "raetsch/heart"]
    assert "mkl" in binary.columns
    assert not binary.isna().any().any()


def test_method_that_failed_in_one_trial_is_not_compared():
    records = made_up(status="failed")
    table = figures.accuracy_table(records)
    assert np.isnan(table.loc["raetsch/heart", "kpm"])
    assert "kpm" not in figures.comparable(table).columns
    assert figures.budget_table(records).loc["kpm", "failed trials"] == 1


def test_time_is_the_median_over_the_fastest(records):
    ratios = figures.time_ratios(records)
    expected = [1.0 + KEYS.index(key) for key in ratios.columns]
    assert list(ratios.loc["raetsch/heart"]) == pytest.approx(expected)


def test_budget_counts_every_fit_and_every_failure(records):
    table = figures.budget_table(records)
    assert table.loc["kpm", "fits"] == 4 * 3 * 28
    assert table.loc["kpm", "not converged"] == 4 * 3 * 2
    assert table.loc["mkl", "sets"] == 2
    assert (table["configurations"] == 9).all()


def test_edges_are_counted_over_all_trials(records):
    table = figures.edges_table(records)
    row = table.loc[("svc", "C")]
    assert (row["lowest"], row["highest"]) == (1.0, 100.0)
    assert (row["at lowest"], row["at highest"]) == pytest.approx((200 / 3, 100 / 3))


def test_mean_ranks_are_those_of_counting(records):
    accuracy = figures.comparable(figures.accuracy_table(records))
    table = figures.rank_table(accuracy)
    expected = naive.mean_ranks(accuracy.to_numpy())
    for key, rank in zip(accuracy.columns, expected, strict=True):
        assert table.loc[key, "mean rank"] == pytest.approx(rank)
    assert table["best"].sum() == len(accuracy)


def test_paired_table_corrects_for_the_recorded_overlap(records):
    row = figures.paired_table(records, "kpm", "svc").loc["raetsch/heart"]
    a, b = (
        [100 * value(records, "raetsch/heart", key, t) for t in range(3)] for key in ("kpm", "svc")
    )
    expected = naive.nadeau_bengio(a, b, n_train=75, n_test=25)
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(expected)


def test_signed_ranks_take_sets_not_trials_as_the_cases(records):
    table = figures.signed_rank_table(records)
    assert table.loc["mkl", "sets"] == 2
    assert table.loc["kpm", "sets"] == 4
    np.testing.assert_allclose(table[["worse", "equivalent", "better"]].sum(axis=1), 1.0)


def test_method_on_one_set_has_no_signed_rank_but_every_figure_is_drawn(records):
    first = records["dataset"].iloc[0]
    method = next(m for m in figures.signed_rank_table(records).index)
    few = records[(records["method"] != method) | (records["dataset"] == first)]
    assert method not in figures.signed_rank_table(few).index
    assert figures.report_figures(few).keys() == figures.report_figures(records).keys()


def test_rank_plot_shows_the_mean_ranks_and_the_critical_difference(records):
    comparison = compare_ranks(figures.comparable(figures.accuracy_table(records)))
    axis = figures.rank_plot(comparison).axes[0]
    data = [np.asarray(line.get_xdata(), dtype=float) for line in axis.lines]
    dots = [x[0] for x in data if len(x) == 1]
    assert dots == pytest.approx(list(comparison.mean_ranks))
    lengths = [np.ptp(x) for x in data if len(x) == 2]
    assert max(lengths) == pytest.approx(comparison.critical_difference)


def test_heat_table_prints_every_accuracy(records):
    axis = figures.heat_table(records).axes[0]
    table = figures.accuracy_table(records)
    assert len(axis.texts) == table.size
    assert sum(text.get_text() == "–" for text in axis.texts) == table.isna().to_numpy().sum()


def test_every_figure_of_the_report_is_drawn(records):
    drawn = figures.report_figures(records)
    assert len(drawn) == 4
    assert all(figure.axes for figure in drawn.values())


def test_trees_on_all_columns_stand_beside_the_same_trials_on_components(records):
    table = figures.columns_table(records)
    assert list(table.index) == ["faces/orl"]
    expected = 100 * value(records, "faces/orl", "gradient boosting", 0)
    found = table.loc["faces/orl", ("gradient boosting", "components")]
    assert found == pytest.approx(expected)
    assert table.loc["faces/orl", ("gradient boosting", ALL_COLUMNS)] == pytest.approx(95.0)


def test_report_has_a_section_on_the_study_and_no_verdicts_on_it(records, tmp_path):
    meta = {
        "paper": "across",
        "profile": "full",
        "protocol_version": 1,
        "date": "2026-01-01",
        "wall_seconds": 1.0,
        "source_notes": dict.fromkeys(SETS, ""),
        "data_digests": dict.fromkeys(SETS, "0" * 64),
        **results.environment(),
    }
    results.write_tables(records, tmp_path / "across", meta)
    path = report.write_report(["across"], tmp_path, tmp_path / "r.html", title="t")
    text = path.read_text(encoding="utf-8")
    assert "every classifier on every set" in text
    assert text.count("<figure>") >= 4


def test_reproduce_runs_the_study_without_a_scoreboard(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPROLIB_RECORDS", str(tmp_path / "records"))
    monkeypatch.setattr(across, "QUICK_SETS", ("embedded/twonorm", "embedded/optdigits"))
    for key in set(METHODS) - {"svc", "logistic", "lda", "neighbors"}:
        monkeypatch.delitem(METHODS, key)
    assert main(["reproduce", "across", "--jobs", "1"]) == 0
    assert "Scoreboard" not in capsys.readouterr().out
    assert len(list((tmp_path / "build" / "figures" / "across").glob("*.png"))) == 4
    written = pd.read_csv(tmp_path / "build" / "results" / "across" / "accuracy.csv")
    assert set(written["source"]) == {"embedded"}
