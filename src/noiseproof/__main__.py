"""`python -m noiseproof` is the command `noiseproof`."""

from noiseproof.cli import main

if __name__ == "__main__":
    main()
