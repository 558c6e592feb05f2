"""Boards, rules, sowing, games, notation; and the words that sensors and referee share.

The players' language, written once. A *board* has *pits* and *stores*; either is a *hole*. *Seeds* lie in
holes. A move *lifts* all seeds of a pit and *sows* them: one *drop* a hole, along the mover's *course*, the
closed path on which a hole that is skipped does not lie. A *lap* is one such sowing; a *relay* lifts the
last seed's pit and sows on. A *capture* takes seeds into a store; a *sweep* takes what is left when play
ends. A *ply* is one move of one player. A *trace* is the list of a move's physical *steps* (lift, drop,
take), in the order of a hand that follows the rules.
"""
