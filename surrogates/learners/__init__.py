"""Learners on features: what the answers so far say about the labels of other items.

Each learns from arrays behind one protocol (`protocol`): a `kernel` and a linear ridge with exact leave-one-out,
`neighbours` on a graph, any `classifier` of scikit-learn, and the `network` of ALT-MAS; `blend` weighs them by how well
they predict answers they did not see. What they say is an opinion about the model under test, not a belief: how far it
is to be believed is learnt in `outputs`.
"""
