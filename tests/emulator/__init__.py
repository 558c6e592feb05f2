"""The firmware's own binary on a simulated chip, and the programs that are built for it."""
