"""Calibrations: of printed noise over whole regions (Farokhi, Sandberg 2019), and of the false alarms of audits."""
