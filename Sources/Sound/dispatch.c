/* The choice of a table, and what goes through it. */
#include "CForgeThreadPool.h"
#include "sound.h"

#pragma STDC FP_CONTRACT OFF

const forge_sound_kernels *forge_sound_at(forge_level level) {
  /* The kernels of the engine need the same instructions. */
  while (level > FORGE_SCALAR && forge_kernels(level) == NULL) level--;
  switch (level) {
#if defined(__x86_64__) || defined(__aarch64__)
    case FORGE_BASELINE: return &forge_sound_baseline;
#endif
#if defined(__x86_64__)
    case FORGE_AVX2: return &forge_sound_avx2;
    case FORGE_AVX512: return &forge_sound_avx512;
#endif
    default: return &forge_sound_scalar;
  }
}

const char *forge_sound_forms(forge_level level) {
  return forge_kernels(level) == NULL ? NULL : forge_sound_at(level)->name;
}

void forge_map(forge_level level, int32_t kind, const float *in, int64_t count, float a, float b,
               float c, float *out) {
  forge_sound_at(level)->map(kind, in, count, a, b, c, out);
}

void forge_widen(forge_level level, const int16_t *in, int64_t count, float scale, float *out) {
  forge_sound_at(level)->widen(in, count, scale, out);
}

double forge_sum(forge_level level, int32_t kind, const float *in, int64_t count) {
  return forge_sound_at(level)->sum(kind, in, count);
}

float forge_peak(forge_level level, bool plain, const float *in, int64_t count) {
  return forge_sound_at(level)->peak(plain, in, count);
}

void forge_rows_product(forge_level level, const float *in, int64_t rows, int64_t inputs,
                        const float *matrix, int64_t outputs, int64_t stride, float *out) {
  forge_sound_at(level)->rows_product(in, rows, inputs, matrix, outputs, stride, out);
}

void forge_resample(forge_level level, const forge_polyphase *p, const float *in, int64_t from,
                    int64_t to, float *out) {
  forge_sound_at(level)->resample(p, in, from, to, out);
}

/* ---- spectra ---- */

int64_t forge_spectrum_bins(int64_t size) { return size / 2 + 1; }

/* Two buffers of the transform, and the complex spectrum. */
static int64_t scratch_numbers(const forge_fourier *f, int64_t size) {
  return 4 * (f->inner ? f->inner->size : f->size) + 2 * forge_spectrum_bins(size);
}

int64_t forge_spectrum_scratch(const forge_spectrum *s) {
  return (scratch_numbers(s->fourier, s->size) + s->bands) * FORGE_SOUND_LANES * 4;
}

int64_t forge_synthesis_scratch(const forge_synthesis *s) {
  return scratch_numbers(s->fourier, s->size) * FORGE_SOUND_LANES * 4;
}

/* Blocks first ..< last of frames: a forge_kernel. */
static void spectrum_blocks(const void *spectrum, const forge_frame *frame, int64_t first,
                            int64_t last) {
  const forge_spectrum *s = spectrum;
  const forge_sound_kernels *kernels = forge_sound_at(s->level);
  uint8_t *scratch = s->scratch + frame->worker * s->scratch_bytes;
  for (int64_t i = first; i < last; i++) kernels->spectrum(s, i * kernels->lanes, scratch);
}

void forge_spectrum_run(const forge_spectrum *s, int32_t threads) {
  const int64_t lanes = forge_sound_at(s->level)->lanes;
  const int64_t blocks = (s->frames + lanes - 1) / lanes;
  float *none[1] = {NULL};
  const forge_frame frame = {.bases = none};
  const forge_step step = {.kernel = spectrum_blocks,
                           .arguments = s,
                           .tiles = blocks,
                           .most_threads = threads,
                           .parts = 1,
                           .pieces = 4,
                           .rounds = 1};
  if (threads > 1)
    forge_run_parallel(&step, 1, &frame, threads, NULL, INT64_MAX);
  else
    spectrum_blocks(s, &frame, 0, blocks);
}

void forge_synthesis_run(const forge_synthesis *s) {
  const forge_sound_kernels *kernels = forge_sound_at(s->level);
  for (int64_t i = 0; i < s->frames; i += kernels->lanes) kernels->synthesis(s, i);
}
