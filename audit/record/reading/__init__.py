"""What others wrote is read strictly: JSON, TOML and models of it, plain data by path, certificates."""
