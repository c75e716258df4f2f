"""The node graph beside the memories: nodes with their items, edges between nodes, and walks along edges."""
