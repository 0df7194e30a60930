/* A scale and a bias per channel. */

FORGE_KERNEL(affine) {
  const forge_affine_arguments *a = arguments;
  const finish end = finish_of(&a->activation);
  const v16 low = splat(end.low), high = splat(end.high);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const v16i mask = first_lanes(lanes);
    const v16 scale = load(a->scale + block * FORGE_LANES);
    const v16 bias = load(a->bias + block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++) {
      const v16 value = multiply_add(load(in + x * FORGE_LANES), scale, bias);
      store(out + x * FORGE_LANES, keep(mask, clamp(value, low, high)));
    }
    if (end.further) activate(out, out, a->out.width, lanes, end.further);
  }
}
