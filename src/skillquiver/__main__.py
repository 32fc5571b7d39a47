"""``python -m skillquiver``: the command line."""

from skillquiver.serve.entry import main

if __name__ == "__main__":
    main()
