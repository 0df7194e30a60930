/* Shared by the programs that try the kernels on bytes. */
#ifndef HARNESS_H
#define HARNESS_H

#include "quantized.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- random numbers ---- */

static uint64_t harness_state = 88172645463325252u;

static inline uint32_t random_bits(void) {
  harness_state ^= harness_state << 13;
  harness_state ^= harness_state >> 7;
  harness_state ^= harness_state << 17;
  return (uint32_t)(harness_state >> 32);
}

/* 0 ..< count */
static inline int64_t random_below(int64_t count) { return random_bits() % (uint64_t)count; }

#define RANDOM_OF(array) ((array)[random_below((int64_t)(sizeof(array) / sizeof *(array)))])

/* ---- memory ---- */

/* Memory that ends where it should, so that the address sanitizer sees what reaches further. */
static inline void *memory_of(int64_t bytes, int fill) {
  /* A multiple of the alignment, as aligned_alloc wants it. */
  const size_t size = (size_t)((bytes + 63) / 64 * 64) + (bytes == 0 ? 64 : 0);
  void *p = aligned_alloc(64, size);
  if (!p) abort();
  memset(p, fill, size);
  return p;
}

enum { IN = 2, OUT, OTHER, RESIDUAL, RANGE, BASES };

/* An image with its memory and border. */
typedef struct {
  forge_view view;
  int64_t bytes;
} image;

/* Bytes blocked by 64, or with small pixels. */
static inline image byte_image(int32_t base, int64_t height, int64_t width, int64_t channels,
                               int64_t border, int64_t gap, int64_t pixel) {
  const int64_t row = (width + 2 * border + gap) * pixel, rows = height + 2 * border;
  const int64_t blocks = pixel == 64 ? forge_byte_blocks(channels) : 1;
  return (image){.view = {.base = base,
                          .height = (int32_t)height,
                          .width = (int32_t)width,
                          .channels = (int32_t)channels,
                          .offset = border * row + border * pixel,
                          .block_stride = rows * row,
                          .row_stride = row},
                 .bytes = blocks * rows * row};
}

/* Words blocked by 16; its view counts in words. */
static inline image float_image(int32_t base, int64_t height, int64_t width, int64_t channels,
                                int64_t gap) {
  const int64_t row = (width + gap) * FORGE_LANES;
  return (image){.view = {.base = base,
                          .height = (int32_t)height,
                          .width = (int32_t)width,
                          .channels = (int32_t)channels,
                          .block_stride = height * row,
                          .row_stride = row},
                 .bytes = forge_blocks(channels) * height * row * 4};
}

/* ---- functions ---- */

/* A form of the products of bytes. */
typedef struct {
  const char *name;
  forge_kernel convolution, depthwise, nibbles;
  bool runs; /* whether this processor has its instructions, or functions in their place */
} byte_form;

#endif
