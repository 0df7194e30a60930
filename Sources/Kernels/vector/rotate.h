/* Rotation of pairs of channels. Heads and their rotated parts that are not whole vectors are left
 * to the scalar kernel. */
#include "../rotate.h"

/* -1 in the first lane of each pair of lanes `distance` apart, else 1. */
FORGE_INLINE v16 signs_of_pairs(const int distance) {
  v16 signs;
#pragma clang loop unroll(full)
  for (int lane = 0; lane < FORGE_LANES; lane++) signs[lane] = lane & distance ? 1 : -1;
  return signs;
}

/* Rotates `width` vectors, 16 floats apart. Their factors are `step` floats apart. The partners are
 * the vectors of `others` if `distance` is 0, else lanes of the same vector. */
FORGE_INLINE void rotate_vectors(const float *in, const float *others, float *out, int64_t width,
                                 const float *cosines, const float *sines, int64_t step, v16 signs,
                                 const int distance) {
  for (int64_t x = 0; x < width; x++) {
    const v16 value = load(in + x * FORGE_LANES);
    const v16 partner = distance == 1 ? FORGE_SHUFFLE(value, value, FORGE_ACROSS, 1)
      : distance == 8                 ? FORGE_SHUFFLE(value, value, FORGE_ACROSS, 8)
                                      : load(others + x * FORGE_LANES);
    const v16 crossed = partner * (load(sines + x * step) * signs);
    store(out + x * FORGE_LANES, multiply_add(value, load(cosines + x * step), crossed));
  }
}

FORGE_KERNEL(rotate) {
  const forge_rotate_arguments *a = arguments;
  const int64_t channels = a->in.channels / a->heads, rotated = a->cosines.channels;
  const int64_t width = a->in.width, blocks = channels / FORGE_LANES;
  const bool is_near = a->pairs == FORGE_ROTATE_NEIGHBORS || rotated == FORGE_LANES;
  if (channels % FORGE_LANES != 0 || rotated % (is_near ? FORGE_LANES : 2 * FORGE_LANES) != 0) {
    forge_rotate_scalar(arguments, frame, first, last);
    return;
  }
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile / a->heads, head = tile % a->heads;
    const forge_rotation factors = forge_rotation_of(a, frame, y);
    const int64_t half = rotated / FORGE_LANES / 2;
    for (int64_t block = 0; block < blocks; block++) {
      const int64_t channel = block * FORGE_LANES, step = factors.channels;
      const float *in = forge_row(&a->in, frame, head * blocks + block, y);
      float *out = forge_row(&a->out, frame, head * blocks + block, y);
      if (channel >= rotated) {
        memcpy(out, in, (size_t)(width * FORGE_LANES) * sizeof(float));
        continue;
      }
      const float *cosines = factors.cosines + channel, *sines = factors.sines + channel;
      if (a->pairs == FORGE_ROTATE_NEIGHBORS) {
        rotate_vectors(in, NULL, out, width, cosines, sines, step, signs_of_pairs(1), 1);
      } else if (is_near) {
        rotate_vectors(in, NULL, out, width, cosines, sines, step, signs_of_pairs(8), 8);
      } else {
        const bool is_first = block < half;
        const float *others =
          forge_row(&a->in, frame, head * blocks + (is_first ? block + half : block - half), y);
        rotate_vectors(in, others, out, width, cosines, sines, step, splat(is_first ? -1 : 1), 0);
      }
    }
  }
}
