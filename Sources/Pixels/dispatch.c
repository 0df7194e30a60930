/* The choice of a table. */
#include "rows.h"

const forge_pixel_rows *forge_pixel_rows_at(forge_level level) {
  /* The kernels of the engine need the same instructions. */
  if (forge_kernels(level) == NULL) return NULL;
  switch (level) {
#if defined(__x86_64__) || defined(__aarch64__)
    case FORGE_BASELINE: return &forge_pixel_rows_baseline;
#endif
#if defined(__x86_64__)
    case FORGE_AVX2: return &forge_pixel_rows_avx2;
    case FORGE_AVX512: return &forge_pixel_rows_avx512;
#endif
    default: return &forge_pixel_rows_scalar;
  }
}

const char *forge_pixel_forms(forge_level level) {
  const forge_pixel_rows *rows = forge_pixel_rows_at(level);
  return rows ? rows->name : NULL;
}
