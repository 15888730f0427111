"""What the printed large-margin release gives away, its risk and its noise (Pathak, Raj 2010)."""
