"""Proof that nothing crosses the two walls: between orgs, and between the users of one org.

`specimens.py` makes one of everything that can be stored, with a canary in every text. `walk.py` sends every operation
of the OpenAPI document as somebody else and reports each answer that shows the canary, finds an id or changes anything.
The contract tests run both walks against the service under test; `holdfast doctor` runs them against a deployment.
"""
