"""``python -m skillquiver``: the command line."""

from skillquiver.serve.cli import main

if __name__ == "__main__":
    main(prog_name="quiver")
