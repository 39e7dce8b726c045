"""Clusters as people hold them: columns, blanks, numbers written in two ways, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest

from altmas.core.clusters import Clusters, read_clusters
from altmas.core.pool import Pool
from altmas.metrics.errors import InputError
from altmas.words.clusters import cluster_warnings


def test_blanks_are_clusters_of_their_own_and_numbers_one_however_written():
    found = read_clusters(pd.Series([1.0, 1.0, np.nan, np.nan, 2.0, 3.0, 4.0], name="patient"), 7)
    assert (found.name, found.count, found.blank) == ("patient", 6, 2)
    again = read_clusters(["1", "1.0", "", None, " 2", "3", "4"], 7)
    assert again.index.tolist() == found.index.tolist()


def test_names_that_only_look_alike_are_kept_apart():
    assert read_clusters(["1.5", "1", "01", "1.50", "-1", "a.0"], 6).count == 6


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["a"] * 6, "at least 5"),
        (["a", "b"], "one value per item"),
        ("patient", "one value per item"),
        ({"a": [1] * 6, "b": [2] * 6}, "one column"),
    ],
)
def test_what_is_no_column_of_clusters_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        read_clusters(given, 6)


def test_clusters_with_an_index_are_joined_by_it_and_survive_pickling():
    ids = list("abcdef")
    said = pd.Series([0, 1, 0, 1, 0, 1], index=ids)
    clusters = pd.Series([5, 5, 4, 3, 2, 1], index=ids[::-1], name="patient")
    pool = Pool.build(said, clusters=clusters)
    assert pool.clusters.index.tolist() == [0, 1, 2, 3, 4, 4]
    assert pickle.loads(pickle.dumps(pool)).clusters.index.tolist() == [0, 1, 2, 3, 4, 4]


def test_what_is_strange_about_clusters_is_said():
    def said(index, blank=0):
        return " ".join(cluster_warnings(Clusters("patient", np.array(index), blank)))

    assert "a cluster of its own" in said(range(100))
    assert "only 6 clusters" in said([0, 0, 1, 2, 3, 4, 5])
    assert "very uneven" in said([0] * 1000 + list(range(1, 50)))
    assert "2 items have no value" in said(np.arange(100) // 2, blank=2)
    assert said(np.arange(100) // 2) == ""
    assert cluster_warnings(None) == []
