"""Information: Fisher information, when it exists, and what it says about the error of every estimator."""
