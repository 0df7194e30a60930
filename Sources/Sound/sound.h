/* The kernels over lanes: one table for each level. */
#ifndef FORGE_SOUND_H
#define FORGE_SOUND_H

#include "include/CForgeSound.h"

#include <string.h>

typedef struct {
  const char *name;
  int32_t lanes;
  /* Frames first ..< first + lanes; those beyond the last are not written. */
  void (*spectrum)(const forge_spectrum *s, int64_t first, uint8_t *scratch);
  void (*synthesis)(const forge_synthesis *s, int64_t first);
  void (*map)(int32_t kind, const float *in, int64_t count, float a, float b, float c, float *out);
  void (*widen)(const int16_t *in, int64_t count, float scale, float *out);
  double (*sum)(int32_t kind, const float *in, int64_t count);
  float (*peak)(bool plain, const float *in, int64_t count);
  void (*rows_product)(const float *in, int64_t rows, int64_t inputs, const float *matrix,
                       int64_t outputs, int64_t stride, float *out);
  void (*resample)(const forge_polyphase *p, const float *in, int64_t from, int64_t to, float *out);
} forge_sound_kernels;

/* The table of a level; that of the best level below it if this machine lacks it. */
const forge_sound_kernels *forge_sound_at(forge_level level);

extern const forge_sound_kernels forge_sound_scalar, forge_sound_baseline, forge_sound_avx2,
  forge_sound_avx512;

#endif
