"""The ledger of language models over HTTP: which calls were made, what each took, how it went."""
