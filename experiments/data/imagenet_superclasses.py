"""Superclasses of ImageNet's 1,000 classes: their indices follow WordNet, so that each is a few ranges of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FIRSTS = {
    0: "fish",  # tench
    7: "bird",  # cock
    25: "amphibian",  # European fire salamander
    33: "reptile",  # loggerhead turtle
    69: "arachnid and kin",  # trilobite, scorpions, spiders, ticks, centipede
    80: "bird",  # black grouse
    101: "other mammal",  # tusker, monotremes, marsupials
    107: "sea animal",  # jellyfish, corals, worms, molluscs, crabs
    127: "bird",  # white stork
    147: "other mammal",  # whales, sea lion
    151: "dog",  # Chihuahua
    269: "wild dog",  # timber wolf; hyena, foxes
    281: "cat",  # tabby; wild cats
    294: "other mammal",  # bears, mongoose, meerkat
    300: "insect",  # tiger beetle
    327: "sea animal",  # starfish, sea urchin, sea cucumber
    330: "other mammal",  # rabbits, rodents
    339: "hoofed animal",  # sorrel to llama
    356: "other mammal",  # weasel to sloth
    365: "ape or monkey",  # orangutan to indri
    385: "other mammal",  # elephants, pandas
    389: "fish",  # barracouta to puffer
    398: "artefact",  # abacus to plate, in alphabetical order
    924: "food",  # guacamole to eggnog
    970: "nature",  # alp to volcano, people at sports, plants, fungi
}
"""The first index of each range; 998 (ear of corn) and 999 (toilet tissue) go with what stands before them."""


def superclasses(classes: ArrayLike) -> NDArray[np.str_]:
    """The superclass of each class index.

    >>> superclasses([1, 88, 207, 281, 963]).tolist()
    ['fish', 'bird', 'dog', 'cat', 'food']
    """
    starts = np.array(list(FIRSTS))
    return np.array(list(FIRSTS.values()))[np.searchsorted(starts, np.asarray(classes), side="right") - 1]
