"""Face 2, entries: one distilled fact under a stable key, stored, recalled, listed and forgotten by an agent.

Promise: a core fact written once is still in context at entry 1,001. What an agent keeps is bounded, what is evicted is
the coldest that is not core, and whatever goes (forgotten, evicted, expired) stays in the history and can come back.

model.py      what an entry is, how big it may be
reach.py      which audiences a caller reaches through an agent, and who may change what there
quota.py      every write and every removal, under a lock on the quota of 1,000 entries
retention.py  what expires, what is evicted at the cap
service.py    store, recall, list, forget
history.py    revisions of a key, restore
batch.py      many at once
runs.py       runs, whose `conversation` entries end with them
hydration.py  what fits a byte budget when a run starts
markdown.py   an entry as a markdown page; transfer.py: an agent's entries as a zip of such pages
"""
