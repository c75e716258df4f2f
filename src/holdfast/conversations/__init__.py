"""Face 3, conversations: messages in order, inside a token budget, wherever a resource says they are kept.

Promise: an append is atomic under any number of writers; nothing acknowledged is lost, doubled or out of order; what is
trimmed is kept as a revision; and what a privacy policy covers is gone before anything is written or counted.
"""
