"""Stored outputs of real networks: CIFAR-100, ImageNet and 20 Newsgroups, as pools whose labels are known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from altmas.experiments.data.datasets import read_npz
from altmas.metrics.errors import InputError
from altmas.metrics.types import FloatArray, IntArray

SUPERCLASSES: dict[str, tuple[str, ...]] = {
    "aquatic mammals": ("beaver", "dolphin", "otter", "seal", "whale"),
    "fish": ("aquarium_fish", "flatfish", "ray", "shark", "trout"),
    "flowers": ("orchid", "poppy", "rose", "sunflower", "tulip"),
    "food containers": ("bottle", "bowl", "can", "cup", "plate"),
    "fruit and vegetables": ("apple", "mushroom", "orange", "pear", "sweet_pepper"),
    "household electrical devices": ("clock", "keyboard", "lamp", "telephone", "television"),
    "household furniture": ("bed", "chair", "couch", "table", "wardrobe"),
    "insects": ("bee", "beetle", "butterfly", "caterpillar", "cockroach"),
    "large carnivores": ("bear", "leopard", "lion", "tiger", "wolf"),
    "large man-made outdoor things": ("bridge", "castle", "house", "road", "skyscraper"),
    "large natural outdoor scenes": ("cloud", "forest", "mountain", "plain", "sea"),
    "large omnivores and herbivores": ("camel", "cattle", "chimpanzee", "elephant", "kangaroo"),
    "medium-sized mammals": ("fox", "porcupine", "possum", "raccoon", "skunk"),
    "non-insect invertebrates": ("crab", "lobster", "snail", "spider", "worm"),
    "people": ("baby", "boy", "girl", "man", "woman"),
    "reptiles": ("crocodile", "dinosaur", "lizard", "snake", "turtle"),
    "small mammals": ("hamster", "mouse", "rabbit", "shrew", "squirrel"),
    "trees": ("maple_tree", "oak_tree", "palm_tree", "pine_tree", "willow_tree"),
    "vehicles 1": ("bicycle", "bus", "motorcycle", "pickup_truck", "train"),
    "vehicles 2": ("lawn_mower", "rocket", "streetcar", "tank", "tractor"),
}
"""CIFAR-100's twenty superclasses; its labels number the hundred class names in alphabetical order."""

CIFAR100 = tuple(sorted(name for members in SUPERCLASSES.values() for name in members))

NETWORKS = ("resnet110_cifar100", "wideresnet_cifar100", "resnet20_cifar100", "news20")
"""Besides these, `imagenet:NAME` for one of the fourteen ImageNet networks, and `digits` made on the spot."""

IMAGENET_SUPERCLASSES = {
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
"""The first index of each superclass of ImageNet: they follow WordNet, so that each is a few ranges of classes.

998 (ear of corn) and 999 (toilet tissue) go with what stands before them.
"""

IMAGENET_NETWORK = "imagenet:torchvision/resnet101"


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What a network said about a test set, and the truth: labels, predictions and confidences `[N]`, class names.

    `scores [N, C]` where the whole softmax is stored.
    """

    name: str
    classes: tuple[str, ...]
    labels: IntArray
    predictions: IntArray
    confidence: FloatArray
    scores: FloatArray | None = None

    @property
    def right(self) -> IntArray:
        """1 where the prediction is right."""
        return np.asarray(self.labels == self.predictions, dtype=np.int64)


def superclass_of() -> IntArray:
    """Index of the superclass of each of CIFAR-100's classes `[100]`.

    >>> int(superclass_of()[CIFAR100.index("woman")]) == list(SUPERCLASSES).index("people")
    True
    """
    home = {name: i for i, members in enumerate(SUPERCLASSES.values()) for name in members}
    return np.array([home[name] for name in CIFAR100])


def imagenet_superclasses(classes: ArrayLike) -> NDArray[np.str_]:
    """The superclass of each class index of ImageNet.

    >>> imagenet_superclasses([1, 88, 207, 281, 963]).tolist()
    ['fish', 'bird', 'dog', 'cat', 'food']
    """
    place = np.searchsorted(list(IMAGENET_SUPERCLASSES), np.asarray(classes), side="right") - 1
    return np.array(list(IMAGENET_SUPERCLASSES.values()))[place]


def load_network(name: str, data: Path | None) -> Outcomes:
    """Outputs by name from a data directory; `digits` needs none.

    >>> load_network("digits", None).labels.shape
    (1597,)
    """
    if name == "digits":
        return _digits()
    if data is None:
        raise InputError("data", f"be a folder that holds {name}", "none", "Give --data, or --smoke.")
    if name.startswith("imagenet:"):
        return _imagenet(name, data)
    if name not in NETWORKS:
        raise InputError("network", f"be digits, imagenet:NAME or one of {', '.join(NETWORKS)}", repr(name))
    arrays = read_npz(data / ("news20_scores.npz" if name == "news20" else f"{name}.npz"))
    labels = arrays["labels"].astype(np.int64)
    classes = tuple(f"group {i}" for i in range(20)) if name == "news20" else CIFAR100
    if "confidence" in arrays:
        said, sure = arrays["predictions"].astype(np.int64), arrays["confidence"].astype(np.float64)
        return Outcomes(name, classes, labels, said, sure)
    stored = arrays["scores" if "scores" in arrays else "logits"].astype(np.float64)
    scores = stored if "scores" in arrays else softmax(stored, axis=1)
    scores = scores / scores.sum(1, keepdims=True)
    return Outcomes(name, classes, labels, scores.argmax(1), scores.max(1), scores)


def _imagenet(name: str, data: Path) -> Outcomes:
    arrays = read_npz(data / "imagenet_14nets.npz")
    known = arrays["models"].tolist()
    wanted = name.partition(":")[2]
    if wanted not in known:
        raise InputError("ImageNet network", f"be one of {', '.join(known)}", repr(wanted))
    row = known.index(wanted)
    classes = tuple(str(i) for i in range(1000))
    said, sure = arrays["predictions"][row].astype(np.int64), arrays["confidence"][row].astype(np.float64)
    return Outcomes(name, classes, arrays["labels"].astype(np.int64), said, sure)


def _digits() -> Outcomes:
    from altmas.demo import vendor_digits

    vendor = vendor_digits()
    sure = vendor.scores.max(1)
    return Outcomes("digits", tuple("0123456789"), vendor.labels, vendor.predictions, sure, vendor.scores)
