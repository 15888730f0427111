"""Attacks on private large-margin classification (Pathak, Raj 2010): a version with too little noise, and its worst neighbours."""
