"""The command ``optimargin``; it needs ``pip install "optimargin[cli]"``."""
