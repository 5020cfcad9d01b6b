"""How separators are improved: optimizers, searchers, the loop that drives them, and its ends."""
