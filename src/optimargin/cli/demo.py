def demo() -> None:
    """X."""
