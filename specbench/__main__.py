"""`python -m specbench`: the same as the command `specbench`."""

from specbench.cli.main import main

if __name__ == "__main__":
    main()
