"""``python -m optimargin`` is the command ``optimargin``."""

from optimargin.cli.main import run

if __name__ == "__main__":
    run()
