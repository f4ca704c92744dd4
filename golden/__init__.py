"""Golden values: an exact evaluator judges, PyTorch is the witness, readable text files are the result."""
