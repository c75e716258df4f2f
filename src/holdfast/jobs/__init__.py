"""Jobs over HTTP: what runs in the background, how it went, once more or not at all."""
