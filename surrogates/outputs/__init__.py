"""Surrogates that learn labels from what models said, without features: quick, and regularised for few answers.

`evidence` turns predictions, scores and second opinions into columns; `logistic` regresses agreement on them;
`wrong_labels` says what the label is where the prediction is wrong; `score_calibrated` joins both to label
probabilities. Which of several beliefs to trust is decided in `altmas.beliefs.label_models`.
"""
