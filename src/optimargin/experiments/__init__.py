"""Experiments: compare methods on your data, and the paper's tables and figures again."""
