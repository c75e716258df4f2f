"""HTTP routes over the kernel's job queue and the ledger of language model calls: no tables of its own."""
