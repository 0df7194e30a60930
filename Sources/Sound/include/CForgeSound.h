/* Sound as arrays: samples, spectra, mel bands and resampling.
 *
 * Spectra are computed for as many frames at a time as a vector has lanes: lane i holds frame i.
 * So a transform of any size uses whole vectors, and a frame has the same bits alone and among
 * others. Nothing here allocates, locks or keeps state between calls. Callers have checked sizes
 * and make the tables in double precision. Every level gives the same bits. */
#ifndef CFORGE_SOUND_H
#define CFORGE_SOUND_H

#include "CForgeKernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most lanes of a level; scratch memory is counted in them. */
#define FORGE_SOUND_LANES 16

/* The most passes of a Fourier transform. */
#define FORGE_MOST_PASSES 64

/* The largest factor of a transform that has a pass of its own; others go through Bluestein's. */
#define FORGE_LARGEST_RADIX 31

/* ---- samples ---- */

/* The form of a sample in a file. */
typedef enum {
  FORGE_SAMPLES_U8 = 0,
  FORGE_SAMPLES_I8,
  FORGE_SAMPLES_I16,
  FORGE_SAMPLES_I24,
  FORGE_SAMPLES_I32,
  FORGE_SAMPLES_F32,
  FORGE_SAMPLES_F64
} forge_sample_form;

/* Converts `count` samples to floats; integers are divided by 2^(bits - 1). `big` tells that the
 * first byte is the highest. */
void forge_samples_read(forge_level level, int32_t form, bool big, const uint8_t *in, int64_t count,
                        float *out);

/* Converts floats to little-endian samples: integers are rounded to the nearest, ties to even, and
 * clipped. A NaN becomes 0. */
void forge_samples_write(int32_t form, const float *in, int64_t count, uint8_t *out);

/* What is done with each number; see forge_map. */
typedef enum {
  FORGE_MAP_ABSOLUTE = 0,
  FORGE_MAP_CLIP,      /* a to b */
  FORGE_MAP_GATE,      /* 0 where |x| < a */
  FORGE_MAP_AFFINE,    /* x*a + b */
  FORGE_MAP_LOG,       /* a*ln(x + b) */
  FORGE_MAP_LOG_FLOOR, /* a*ln(max(x, b)) + c */
  FORGE_MAP_LOG_SOUND, /* a*ln(max(|x|, b)) + c */
  FORGE_MAP_LEAST      /* max(x, a) */
} forge_map_kind;

/* Writes a function of each of `count` numbers; `out` may be `in`. NaN stays NaN. */
void forge_map(forge_level level, int32_t kind, const float *in, int64_t count, float a, float b,
               float c, float *out);

/* int16 to float, times `scale`. */
void forge_widen(forge_level level, const int16_t *in, int64_t count, float scale, float *out);

/* Sums in 16 parts: of x, |x| or x*x. */
typedef enum { FORGE_SUM_PLAIN = 0, FORGE_SUM_ABSOLUTE, FORGE_SUM_SQUARES } forge_sum_kind;
double forge_sum(forge_level level, int32_t kind, const float *in, int64_t count);

/* The largest |x|, or of x if `plain`; NaN if one of them is. */
float forge_peak(forge_level level, bool plain, const float *in, int64_t count);

/* The mean of `channels` interleaved samples, for each of `count` frames. */
void forge_mono(const float *in, int64_t count, int64_t channels, float *out);

/* out[f*outputs + o] = sum over i of in[f*inputs + i]*matrix[i*stride + o]; `stride` is `outputs`
 * rounded up to 16. */
void forge_rows_product(forge_level level, const float *in, int64_t rows, int64_t inputs,
                        const float *matrix, int64_t outputs, int64_t stride, float *out);

/* ---- resampling ---- */

/* Output t = j*phases + p sums in[j*step + first[p] + k]*taps[p*stride + k] for k < stride. */
typedef struct {
  int64_t phases, step;
  int64_t stride; /* a multiple of 16, filled with 0 */
  const int32_t *first;
  const float *taps;
} forge_polyphase;

/* Writes outputs from ..< to. `in` points to where first[p] = 0 of j = 0 reads; every tap that is
 * read has memory. */
void forge_resample(forge_level level, const forge_polyphase *p, const float *in, int64_t from,
                    int64_t to, float *out);

/* ---- spectra ---- */

/* A pass of a complex transform. */
typedef struct {
  int64_t radix;
  int64_t length;        /* of the transforms that the pass begins with */
  int64_t stride;        /* how many of them there are */
  const float *twiddles; /* [length/radix][radix - 1][2] */
  const float *roots;    /* [radix][2]: exp(-2*pi*i*k/radix); read where the radix is above 5 */
} forge_pass;

/* A complex transform of any size. */
typedef struct forge_fourier {
  int64_t size;
  int32_t pass_count;
  forge_pass passes[FORGE_MOST_PASSES];
  /* Bluestein's: a transform of `inner`, whose size is at least 2*size - 1; NULL if not needed. */
  const struct forge_fourier *inner;
  const float *chirp;  /* [size][2]: exp(-i*pi*k*k/size) */
  const float *kernel; /* [inner->size][2]: the transform of its conjugate, divided by that size */
} forge_fourier;

/* What is written for a frame. */
typedef enum {
  FORGE_SPECTRUM_COMPLEX = 0, /* [bins][2] */
  FORGE_SPECTRUM_POWER,       /* [bins] */
  FORGE_SPECTRUM_MAGNITUDE,   /* [bins] */
  FORGE_SPECTRUM_BANDS        /* [bands], of powers or magnitudes */
} forge_spectrum_kind;

/* Frames of real samples, and their spectra. */
typedef struct {
  forge_level level;
  const float *samples; /* frame f reads samples[f*hop] and on */
  int64_t hop;
  int64_t frames;
  int64_t size;                 /* of a frame: a transform of `size` real numbers */
  const float *window;          /* [size] */
  const forge_fourier *fourier; /* of size/2 if that is whole, else of size */
  const float *turns;           /* [size/4 + 1][2]: exp(-2*pi*i*k/size), for even sizes */
  int32_t kind;                 /* forge_spectrum_kind */
  bool magnitudes;              /* whether bands are of magnitudes */
  /* Band b sums bins first[b] ..< first[b] + count[b], with weights from offset[b] on. */
  int64_t bands;
  const int32_t *first, *count, *offset;
  const float *weights;
  int32_t map; /* forge_map_kind of the bands; negative for none */
  float a, b, c;
  float *out; /* [frames][values] */
  uint8_t *scratch;
  int64_t scratch_bytes; /* of each worker */
} forge_spectrum;

int64_t forge_spectrum_bins(int64_t size);
/* The scratch of one worker; the transform and `size` are set. */
int64_t forge_spectrum_scratch(const forge_spectrum *spectrum);
/* Computes all frames on at most `threads` threads. */
void forge_spectrum_run(const forge_spectrum *spectrum, int32_t threads);

/* The way back: adds the windowed frames of spectra to `out`. */
typedef struct {
  forge_level level;
  const float *spectra; /* [frames][bins][2] */
  int64_t frames;
  int64_t size, hop;
  const float *window; /* [size], divided by `size`; at odd places negative if `size` is even */
  const forge_fourier *fourier;
  const float *turns;
  float *out; /* [(frames - 1)*hop + size], added to */
  uint8_t *scratch;
} forge_synthesis;

int64_t forge_synthesis_scratch(const forge_synthesis *synthesis);
void forge_synthesis_run(const forge_synthesis *synthesis);

/* The name of the forms that a level uses: "scalar", "baseline", "avx2", "avx512"; NULL if this
 * machine lacks it. */
const char *forge_sound_forms(forge_level level);

#endif
