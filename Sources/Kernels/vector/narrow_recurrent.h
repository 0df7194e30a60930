/* Recurrent cells with weights that are not floats: see also fixed_weights.h. */

#define FORGE_NARROW_RECURRENT(name, form)                               \
  FORGE_RECURRENT_PRODUCTS(name##_recurrence, form)                      \
  FORGE_KERNEL(name##_recurrent) {                                       \
    recurrent_blocks(arguments, frame, first, last, &name##_recurrence); \
  }

FORGE_NARROW_RECURRENT(half, FORGE_WEIGHTS_HALVES)
#if FORGE_TILE_VECTORS > 1
FORGE_NARROW_RECURRENT(bfloat, FORGE_WEIGHTS_BFLOATS)
FORGE_NARROW_RECURRENT(byte, FORGE_WEIGHTS_BYTES)
#endif
