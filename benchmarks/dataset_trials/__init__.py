"""Whether and how far a classifier moves when its records do; noise confined to a set (Farokhi 2020)."""
