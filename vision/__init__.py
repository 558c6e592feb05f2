"""Pictures of the board to observations.

A picture is found on the board by its four markers (`markers`), warped to a top view of fixed scale
(`rectify`), and read hole by hole (`count`). `camera.Camera` joins the three into a sensor and remembers
how each hole looked when its count was known. `frames` reads pictures from files.

Pictures are BGR, `(height, width, 3)`, uint8, as OpenCV has them.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Image: TypeAlias = NDArray[np.uint8]
"""`(height, width, 3)` BGR."""
Mask: TypeAlias = NDArray[np.bool_]
"""`(height, width)`."""
Pixels: TypeAlias = NDArray[np.float32]
"""`(height, width)` or `(height, width, channels)`."""
AnyImage: TypeAlias = NDArray[Any]
"""A picture as a decoder gives it: one, three or four channels, 8 or 16 bits."""
