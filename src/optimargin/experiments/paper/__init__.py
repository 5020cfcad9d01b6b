"""The paper's tables and figures again: its published values, what is run, and what is shown."""
