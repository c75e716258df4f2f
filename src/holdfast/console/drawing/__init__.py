"""Numbers for drawings: templates write them as SVG, so that nothing is drawn from unescaped text."""
