/* Shared by the checks of all kernels. Scripts/check kernels builds and runs them.
 *
 * A check makes a problem of random sizes and numbers and tries every form of a kernel on it. The
 * scalar form judges the others, unless a kernel has none or a definition is short enough.
 *
 * Bounds of floats. |x| is the magnitude of a sum: the sum of the absolute values of its terms,
 * which the scalar form computes from absolute inputs and weights. Each output has its own, so
 * that no bound depends on numbers of like scale.
 *   integers, bytes, moves, comparisons: equal
 *   sums of n terms: 4e-7 * root(n) * |x|, and n of the smallest floats
 *   others: see the check */
#ifndef CHECK_H
#define CHECK_H

#include "quantized.h"
#include "recurrent.h"
#include "strassen.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- what main.c keeps ---- */

/* A form of the kernel that is being checked. */
typedef struct {
  const char *name;
  forge_kernel function;
  int64_t tried;
} kernel_form;

enum { MOST_FORMS = 16 };

typedef struct {
  const char *name;
  forge_kernel scalar; /* NULL where there is none */
  kernel_form forms[MOST_FORMS];
  int count;
  int64_t compared, failures;
  uint64_t digest; /* of all scalar results */
  char problem[256];
} kernel_check;

extern kernel_check now;

/* Says what the problem is, for messages. */
#define PROBLEM(...) snprintf(now.problem, sizeof now.problem, __VA_ARGS__)

/* Reports a difference. */
void report(const char *form, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a result that all machines should agree on. */
void digest(const void *result, int64_t bytes);

/* ---- random numbers ---- */

uint32_t random_bits(void);
static inline int64_t random_below(int64_t count) { return random_bits() % (uint64_t)count; }
static inline int64_t random_from(int64_t low, int64_t high) {
  return low + random_below(high - low + 1);
}
/* From -1 to 1. */
static inline float random_number(void) { return (float)((int32_t)random_bits() >> 7) * 0x1p-24f; }
/* 2^-range ... 2^range */
static inline float random_scale(int range) { return ldexpf(1, (int)random_from(-range, range)); }

#define RANDOM_OF(array) ((array)[random_below((int64_t)(sizeof(array) / sizeof *(array)))])

/* Numbers that go wrong: not finite, denormal, zeros, integers that floats just hold or do not. */
float hostile_number(void);

/* How an array is filled. */
typedef enum {
  EVEN,    /* from -1 to 1 */
  UNEVEN,  /* each channel has a scale of its own, 2^-30 ... 2^30 */
  HOSTILE, /* as EVEN, a few are hostile */
  WHOLE,   /* integers beyond 2^24 */
  TINY,    /* about the smallest normal number */
  FILLS
} fill_kind;

void fill_numbers(float *p, int64_t count, fill_kind kind);
void fill_bytes(void *p, int64_t count);

/* ---- memory ---- */

/* Memory that ends where it should, so that the address sanitizer sees what reaches further. */
void *memory_of(int64_t bytes, int fill);
void *copy_of(const void *p, int64_t bytes);
/* Magnitudes. What is not finite becomes 0: its results are compared for being NaN or infinite. */
float *absolute_of(const float *p, int64_t count);

enum { IN = 2, OUT, OTHER, RESIDUAL, RANGE, SCRATCH, MORE, BASES };

/* An image, whose view counts in words or bytes. */
typedef struct {
  forge_view view;
  int64_t bytes, border;
} image;

/* Floats blocked by 16. */
image float_image(int32_t base, int64_t height, int64_t width, int64_t channels, int64_t border,
                  int64_t gap);
/* Bytes blocked by 64, or with pixels of 4 bytes. */
image byte_image(int32_t base, int64_t height, int64_t width, int64_t channels, int64_t border,
                 int64_t gap, int64_t pixel);
/* Plain floats. */
image plain_image(int32_t base, int64_t height, int64_t width, int64_t channels);

/* The place of a number of an image in floats. */
static inline int64_t place_of(const forge_view *v, int64_t y, int64_t x, int64_t c) {
  return v->offset + c / 16 * v->block_stride + y * v->row_stride + x * 16 + c % 16;
}

/* Memory of a blocked image, whose border and padded lanes are zero. */
float *filled_image(const image *i, fill_kind kind);

/* Puts NaN around the interior. */
void poison_border(const image *i, float *p);

/* ---- trials ---- */

typedef enum {
  AS_FLOATS,       /* each within its bound, or equal; NaN is NaN */
  AS_WORDS,        /* equal bits */
  AS_BLOCKED_BYTES /* equal except for padded lanes */
} comparison;

typedef struct {
  const void *arguments;
  int64_t tiles;
  float *bases[BASES]; /* that of OUT holds what kernels find there */
  int64_t bytes;       /* of OUT */
  comparison comparison;
  const double *bounds;   /* of each float, or NULL: equal. INFINITY allows anything */
  const forge_view *view; /* AS_BLOCKED_BYTES */
  int64_t rounds;         /* see forge_step; 0 counts as 1 */
} trial;

/* Runs a form on a copy of OUT, in two parts of its tiles, the later first; returns the copy. */
float *run_form(const trial *t, forge_kernel function);

/* Compares a result of a form. */
void compare(const trial *t, const char *form, const float *wanted, const float *got);

/* Compares all forms with the scalar one, whose result it returns. */
float *try_forms(const trial *t);

/* Compares all forms with what the check has computed. */
void try_against(const trial *t, const float *wanted);

/* The bounds of sums: see above. Those of `magnitudes` that are not finite allow only what is
 * equal. */
double *bounds_of_sums(const float *magnitudes, int64_t count, double terms);

/* An activation that makes no error larger, so that bounds of sums hold. */
forge_activation gentle_activation(void);

/* Floats that are equal, or both NaN. */
static inline bool same(float a, float b) { return a == b || (isnan(a) && isnan(b)); }

/* ---- the checks, one for each kernel of the lists ---- */

#define DECLARE_CHECK(name, ...) void check_##name(void);
FORGE_KERNELS(DECLARE_CHECK)
FORGE_PRECISION_KERNELS(DECLARE_CHECK)

#endif
