-- Nodes are also looked up by name alone, whatever their kind.
CREATE INDEX node_names_by_name ON node_names (org_id, folded);
