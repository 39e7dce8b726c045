"""What the tests of reading vendors' files share: a common file, and the sentence of a refusal."""

from altmas.formats.ingest import ingest
from worlds.formats import refusal

CSV = "id,label,p_cat,p_dog,region,text\n007,cat,0.9,0.1,north,Miaow.\n08,dog,0.2,0.8,,Woof.\nx,cat,0.6,0.4,south,Hm.\n"


def refused(sentence, *arguments, **options):
    assert refusal(ingest, *arguments, **options) == sentence
