"""Audits in parts: units of work, the executors that run them, and the checkpoint that keeps what is done."""
