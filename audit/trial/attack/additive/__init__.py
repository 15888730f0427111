"""Query plus noise, measured in its parts."""
