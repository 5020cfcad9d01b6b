def demo() -> None:
    """x."""
