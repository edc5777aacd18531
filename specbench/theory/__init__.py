"""What theory predicts: acceptance, step costs, memory. Pure formulas with their
sources; nothing here looks at a measurement."""
