"""``python -m trec_eval_py``, and the command of that name."""

import sys


def run() -> None:
    """Be the program; an interruption while it is still being loaded is told in a line too."""
    try:
        from trec_eval_py import cli

        cli.run()
    except KeyboardInterrupt:
        print("error: interrupted.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()
