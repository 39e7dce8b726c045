"""What is believed about the labels of open items, and what a label is worth because of it.

Learners are bound to a pool here, fitted out of fold, and mixed; their draws become acquisitions and worths. What is
learnt from arrays alone lives in `altmas.surrogates`; who draws items by worth lives in `certified` and `methods`.
"""
