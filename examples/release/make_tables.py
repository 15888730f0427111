"""Synthetic tables for the policies in this folder: headers of UCI Adult and of OpenIntro's loans, invented records.

Columns that the policies drop hold one word.  Run in this folder: python make_tables.py
"""

import csv
import gzip
import tomllib
from io import StringIO
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def write(policy, name, unknown, kept):
    """The table `name` with all columns that the policy declares; those not in `kept` hold `unknown`."""
    header = [c["name"] for c in tomllib.loads((HERE / policy).read_text(encoding="utf-8"))["columns"]]
    rows = len(next(iter(kept.values())))
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(zip(*(kept.get(c, [unknown] * rows) for c in header), strict=True))
    (HERE / name).write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


# In the order of education_num.
SCHOOLS = (
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
    *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
)


def people(rows, rng):
    education = np.clip(np.round(rng.normal(10, 2.5, rows)), 1, 16).astype(int)
    age = np.clip(np.round(17 + rng.gamma(2.2, 10, rows)), 17, 90).astype(int)
    hours = np.clip(np.round(rng.normal(40, 11, rows)), 1, 99).astype(int)
    earns = 0.35 * (education - 10) + 0.03 * (age - 38) + 0.03 * (hours - 40) + rng.logistic(0, 1, rows) > 1.4
    races = ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other", "White"]
    return {
        "age": age,
        "education": np.array(SCHOOLS)[education - 1],
        "education_num": education,
        "race": rng.choice(races, rows, p=[0.01, 0.03, 0.1, 0.01, 0.85]),
        "sex": rng.choice(["Female", "Male"], rows, p=[0.4, 0.6]),
        "capital_gain": np.where(rng.random(rows) < 0.08, rng.integers(1, 200, rows) * 100, 0),
        "capital_loss": np.where(rng.random(rows) < 0.05, rng.integers(10, 40, rows) * 50, 0),
        "hours_per_week": hours,
        "income": np.where(earns, ">50K", "<=50K"),
    }


def loans(rows, rng):
    # About the second moments that lending_compression.toml takes for public, on declared intervals scaled to [-1, 1].
    size, rate = rng.uniform(-0.95, 0.95, rows), rng.normal(0, 1, rows)
    rate = np.clip(-0.3 + 0.2 * size + 0.275 * rate, -0.85, 0.9)
    return {
        "annual_income": np.round(np.exp(rng.normal(11.1, 0.5, rows)), -3).astype(int),
        "loan_amount": (np.round((size + 1) * 200) * 100).astype(int),
        "term": rng.choice(["36", "60"], rows, p=[0.7, 0.3]),
        "interest_rate": np.round((rate + 1) * 18, 1),
    }


if __name__ == "__main__":
    rng = np.random.default_rng(1994)
    write("adult_laplace.toml", "people.csv.gz", "?", people(2_000, rng))
    write("lending_gaussian.toml", "loans.csv.gz", "NA", loans(10_000, rng))
