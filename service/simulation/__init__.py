"""A simulated board: stones that weigh, cells that drift, a hand that plays and errs, and the board's wire.

Physics only. It shares no code with the scale that reads it or with the referee that judges it; what they
have in common is the link's frames and the engine's steps.
"""
