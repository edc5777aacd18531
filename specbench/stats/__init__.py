"""Pure mathematics: numbers in, numbers out. No word of the domain, no import from
the rest of the package."""
