"""Face 2, entries: one distilled fact under a stable key, stored, recalled, listed and forgotten by an agent.

Promise: a core fact written once is still in context at entry 1,001. What an agent keeps is bounded, what is let go is
the coldest that is not core, and whatever goes (forgotten, evicted, expired) stays in the history and can come back.

model.py      what an entry is, how big it may be, where it lives
shelf.py      every write and every removal, under the owner's lock
retention.py  what expires, what is evicted at the cap
service.py    store, recall, list, forget, history, restore
batch.py      many at once
runs.py       the scratch of one run, which dies with it
hydration.py  what fits a byte budget when a run starts
markdown.py   an entry as a page for people; transfer.py: an agent's entries as a zip of those
"""
