"""`python -m altmas`, and the program `altmas`: a package without which not even the command line loads is named."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from altmas.cli import main as run
    except ImportError as error:
        name = (error.name or "altmas").partition(".")[0]
        if name == "altmas":  # a fault of ours
            raise
        again = f"{sys.executable} -m pip install --upgrade {name}"
        print(f"Error: package {name} must be installed; got {error}. {again} gets it.", file=sys.stderr)
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
