"""Recall: passages put, dropped and searched, by word and by meaning, fused; one engine under every face."""
