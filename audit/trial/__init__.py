"""Trial: claims about a subject are put to the test, check by check."""
