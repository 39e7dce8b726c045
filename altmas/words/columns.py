"""Heads of columns in a workbook: names of data, in the language spoken now."""

from __future__ import annotations

from altmas.words.language import sentence, to_say

_HEADS = (
    to_say("annotator"),
    to_say("answers"),
    to_say("arm"),
    to_say("behind"),
    to_say("behind high"),
    to_say("behind low"),
    to_say("best case"),
    to_say("bias"),
    to_say("bin"),
    to_say("bound"),
    to_say("by"),
    to_say("class"),
    to_say("confirmed"),
    to_say("design"),
    to_say("estimate"),
    to_say("event"),
    to_say("first"),
    to_say("group"),
    to_say("half width"),
    to_say("hash"),
    to_say("high"),
    to_say("high alike"),
    to_say("how"),
    to_say("items"),
    to_say("label"),
    to_say("labels"),
    to_say("labels needed"),
    to_say("low"),
    to_say("low alike"),
    to_say("metric"),
    to_say("missing"),
    to_say("model"),
    to_say("note"),
    to_say("number"),
    to_say("outcome"),
    to_say("p best"),
    to_say("p equal"),
    to_say("p first higher"),
    to_say("p higher"),
    to_say("p lower"),
    to_say("p worst"),
    to_say("pairs"),
    to_say("picked"),
    to_say("plug in"),
    to_say("predicted"),
    to_say("promise"),
    to_say("random needed"),
    to_say("random needed for goal"),
    to_say("read"),
    to_say("ruled out"),
    to_say("score"),
    to_say("second"),
    to_say("share"),
    to_say("sign"),
    to_say("size"),
    to_say("support"),
    to_say("target"),
    to_say("time (UTC)"),
    to_say("true"),
    to_say("verdict"),
    to_say("what"),
    to_say("within"),
    to_say("worst case"),
    to_say("wrong"),
)


def head_in_words(key: str) -> str:
    """A key of the facts as the head of a column; what users call their own columns stays as it is.

    >>> head_in_words("p_worst"), head_in_words("region")
    ('p worst', 'region')
    """
    words = key.replace("_", " ")
    return sentence(words) if words in _HEADS else words
