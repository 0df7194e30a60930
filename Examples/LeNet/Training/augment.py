"""Random distortions of 28x28 pictures: affine, elastic, and stroke thickness."""

import numpy as np
from scipy import ndimage


def distort(images, rng):
    """Distorted copies of `images` (count x 28 x 28, float32 in 0...1)."""
    count, height, width = images.shape

    # Affine: rotate, shear and scale about the center, then move.
    angle = rng.normal(0.0, np.radians(6), count)
    shear = rng.normal(0.0, 0.15, count)
    stretch_y = np.exp(rng.normal(0.0, 0.09, count))
    stretch_x = np.exp(rng.normal(0.0, 0.09, count))
    move_y, move_x = rng.normal(0.0, 0.8, (2, count, 1, 1))
    y = np.arange(height)[None, :, None] - (height - 1) / 2
    x = np.arange(width)[None, None, :] - (width - 1) / 2
    cos, sin = np.cos(angle)[:, None, None], np.sin(angle)[:, None, None]
    source_y = (cos * y - sin * x) * stretch_y[:, None, None]
    source_x = (sin * y + cos * x) * stretch_x[:, None, None] + shear[:, None, None] * y
    source_y = source_y + (height - 1) / 2 + move_y
    source_x = source_x + (width - 1) / 2 + move_x

    # Elastic: a smooth random field of displacements, of one root mean square
    # (in pixels) per picture.
    sigma = rng.uniform(3.0, 5.0)
    field = ndimage.gaussian_filter(rng.standard_normal((2, count, height, width)),
                                    (0, 0, sigma, sigma), mode="constant", truncate=3.0)
    field /= np.sqrt((field ** 2).mean(axis=(2, 3), keepdims=True))
    field *= rng.uniform(0.0, 1.1, (1, count, 1, 1))
    source_y = source_y + field[0]
    source_x = source_x + field[1]

    index = np.broadcast_to(np.arange(count)[:, None, None], source_y.shape)
    moved = ndimage.map_coordinates(images, [index, source_y, source_x], order=1,
                                    mode="constant", output=np.float32)

    # Thickness: blend a third of the pictures with thicker or thinner ones.
    cross = ndimage.generate_binary_structure(2, 1)[None]
    choice = rng.uniform(size=count)
    weight = rng.uniform(0.0, 0.7, (count, 1, 1)).astype(np.float32)
    for chosen, neighbor, most in ((choice < 0.17, ndimage.grey_dilation, 1.0),
                                    (choice > 0.83, ndimage.grey_erosion, 0.8)):
        picked = moved[chosen]
        w = weight[chosen] * np.float32(most)
        moved[chosen] = (1 - w) * picked + w * neighbor(picked, footprint=cross)
    return moved
