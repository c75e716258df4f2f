"""Learning insights: a store of the user's own, beside the memories."""
