"""The node graph beside the memories: nodes, the items said of them, the edges between them, and walks along those."""
