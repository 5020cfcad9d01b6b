"""What is wrong with a file, told in one sentence."""


class FileError(ValueError):
    """A file cannot be read, written or used; the message says which, why, and what to do."""
