"""What the tests of reports share: audits with answers, hostile names, and a reader of pages."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd

from altmas.audits.audit import Audit
from altmas.core.pool import Pool

CLASSES = ["cat", "dog", "owl"]
HOSTILE = ["<script>alert(1)</script>", "</style></svg><img src=x onerror=alert(1)>", "a|b`*_$x$\n# h\x00 日本"]
MOST_BYTES = 3_000_000


def made(folder, answers=60, names=CLASSES, models=1, *, items=120, scores=True, groups=True, unsure=0, **settings):
    """An audit with real answers, on a pool whose model is right in about four of five."""
    rng = np.random.default_rng(0)
    labels = rng.integers(len(names), size=items)
    outputs, sure = {}, {}
    for k in range(models):
        right = rng.random(items) < 0.8 - 0.1 * k
        said = np.where(right, labels, rng.integers(len(names), size=items))
        outputs[f"model {k}"] = [names[one] for one in said]
        sure[f"model {k}"] = np.clip(np.where(said == labels, rng.beta(8, 2, items), rng.beta(4, 4, items)), 0.34, 1)
    given_scores = sure if scores else None
    given_groups = {"region": rng.choice(["n", "s", "e"], items), "device": rng.choice(["old", "new"], items)}
    pool = Pool.build(outputs, scores=given_scores, classes=names, groups=given_groups if groups else None)
    settings = {"metrics": ["accuracy", "macro_f1", "mcc"], "initial": 20, "batch": 10, **settings}
    contents = pd.DataFrame({"text": [f"what item {k} says" for k in range(items)]})
    audit = Audit.create(folder, pool, items=contents, inputs={"vendor.csv": "ab" * 32}, **settings)
    while len(audit.state.order) < answers:
        for query in audit.ask(min(10, answers - len(audit.state.order)), annotator="mk"):
            lost = query.position % 10 < unsure
            audit.tell(query.id, "unsure" if lost else names[labels[query.position]], annotator="mk", note="a remark")
    return audit


class Page(HTMLParser):
    """Elements with their attributes, and the text outside of style."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.words, self._inside = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self._inside:
            del self._inside[len(self._inside) - 1 - self._inside[::-1].index(tag) :]

    def handle_data(self, data):
        if "style" not in self._inside:
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def assert_self_contained(page):
    """No script, no reference that leaves the file, every reference inside it found, every id once."""
    parsed = Page(page)
    tags = {tag for tag, _ in parsed.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "foreignobject"}
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", page.split("</head>")[1])
    [policy] = [one["content"] for one in parsed.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(([^)]*)\)", page)) | {a["href"] for _, a in parsed.elements if "href" in a}
    assert {one.removeprefix("#") for one in used} <= set(ids)
    for _, attrs in parsed.elements:
        assert not [name for name in attrs if name.startswith("on") or name in ("src", "srcset", "xlink:href")]
    assert page.count("</style>") == 1
    assert len(page.encode()) < MOST_BYTES
    return parsed
