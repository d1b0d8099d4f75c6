// The floor: what Node itself costs.
