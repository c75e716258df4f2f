"""What is learned from conversations.

sessions    when a session is learned from     settle      the job: read, extract, decide and write, once per message
extractor   the plug: `rules`, `llm`           privacy     what is masked before an extractor reads
run         one run: candidates to proposals   known       what memory holds that a candidate is compared with (`compare`)
routing     what goes where                    writing     writes through the services of the faces; block_edits: core and its room
proposals   list, edit, accept, reject         revert      undo a job through revisions
"""
