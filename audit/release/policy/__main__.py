"""Print the published JSON Schema of policies."""

from .reading import schema_text

if __name__ == "__main__":
    print(schema_text(), end="")
