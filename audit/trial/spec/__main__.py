"""Print the published JSON Schema of specs."""

from .reading import SCHEMA

if __name__ == "__main__":
    print(SCHEMA.text(), end="")
