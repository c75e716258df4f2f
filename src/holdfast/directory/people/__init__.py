"""Users as administrators manage them."""
