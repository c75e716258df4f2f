"""What is learned from conversations: extractors read messages and give candidates for memory.

Here so far: the values (`model`), the scan for secrets that runs before any extractor (`secrets`), the comparison of a
candidate with what is already known (`compare`), and the built-in extractor (`rules`). All of it is pure: no database, no clock.
"""
