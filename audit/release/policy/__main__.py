"""Print the published JSON Schema of policies."""

from .reading import SCHEMA

if __name__ == "__main__":
    print(SCHEMA.text(), end="")
