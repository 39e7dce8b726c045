"""JUnit XML, which pipelines show as tests."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

# What XML 1.0 may not hold even as a reference: a class may be called anything.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(name: str, cases: Sequence[tuple[str, str, str]], about: Mapping[str, str]) -> str:
    r"""A suite of cases `(name, outcome, sentence)`; what is not settled is an error: no pipeline may take it for met.

    >>> print(junit_xml("gate", [("recall:<a> >= 0.9", "fail", "It is \x1b missed.")], {"labels": "20"}))
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
      <testsuite name="gate" tests="1" failures="1" errors="0" skipped="0" time="0">
        <properties>
          <property name="labels" value="20" />
        </properties>
        <testcase classname="gate" name="recall:&lt;a&gt; &gt;= 0.9" time="0">
          <failure message="It is \x1b missed." type="fail">It is \x1b missed.</failure>
        </testcase>
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """
    outcomes = [outcome for _, outcome, _ in cases]
    missed, unsettled = outcomes.count("fail"), outcomes.count("not settled")
    counts = {"tests": len(cases), "failures": missed, "errors": unsettled, "skipped": 0, "time": 0}
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root, "testsuite", {"name": _held(name), **{key: str(one) for key, one in counts.items()}}
    )
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in about.items():
        ElementTree.SubElement(properties, "property", {"name": _held(key), "value": _held(value)})
    for case, outcome, said in cases:
        tag = ElementTree.SubElement(suite, "testcase", {"classname": _held(name), "name": _held(case), "time": "0"})
        if outcome == "pass":
            ElementTree.SubElement(tag, "system-out").text = _held(said)
            continue
        kind = "failure" if outcome == "fail" else "error"
        ElementTree.SubElement(tag, kind, {"message": _held(said), "type": outcome}).text = _held(said)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _held(text: str) -> str:
    """Text that XML can hold: what it cannot is spelt out."""
    return _FORBIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
