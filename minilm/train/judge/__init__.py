"""Training the judge, which compares what a person says with what they said before: `python -m train.judge`."""
