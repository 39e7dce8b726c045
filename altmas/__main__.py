"""`python -m altmas`."""

from altmas.cli import main

if __name__ == "__main__":
    main()
