"""How the counting network was made: an extra (`pip install -e .[train]`), imported by nothing else.

    python -m vision.training.generate DIR      draws pits with known counts (20 to 25 s a shard of 1,024)
    python -m vision.training.train DIR         fits the network to them and writes `counter.onnx`

`settle` lets stones fall into a bowl, `trace` follows light among them, `scene` chooses boards, stones, lamps
and cameras at random. All of it follows from the seed. `docs/vision.md` tells the whole.
"""
