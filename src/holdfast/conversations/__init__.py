"""Face 3, conversations: message lists inside a token budget, in the backend that a memory resource names.

Promise: an append is atomic under any number of writers; nothing acknowledged is lost, doubled or out of order; a flushed
message is kept and can be recalled; only its owner sees an instance; and a privacy policy is applied before anything is written.
"""
