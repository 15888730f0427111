"""The attack on a privacy claim: scores, the choice of events, exact tests of their counts, and bets."""
