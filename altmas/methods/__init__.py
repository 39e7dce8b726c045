"""The field's other methods, one file each: ALT-MAS and BALD, random, stratified, LURE, ASE, PPI++, ASI, OASIS.

Each is what `core.method` asks for and nothing more. Their names are in `altmas.catalogue`; what several of them
share, every metric of an estimated confusion, is in `weighted`.
"""
