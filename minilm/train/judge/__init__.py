"""Training the judge, which compares statements of a person: `python -m train.judge`."""
