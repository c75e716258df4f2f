"""Keeping an instance within its budget: which messages leave, the summary of them, and what recall finds of both."""
