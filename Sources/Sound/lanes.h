/* The vectors of all forms. */
#ifndef FORGE_SOUND_LANES_H
#define FORGE_SOUND_LANES_H

#include "sound.h"

/* Vectors wider than a register are arguments of functions that are always inlined only. */
#pragma clang diagnostic ignored "-Wpsabi"

/* Sixteen numbers at every level, so that sums have the same bits at every level. */
typedef float f32x16 __attribute__((vector_size(64)));
typedef double f64x16 __attribute__((vector_size(128)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef int16_t i16x16 __attribute__((vector_size(32)));

#define FORGE_LOAD(type, pointer)                          \
  ({                                                       \
    type loaded_;                                          \
    __builtin_memcpy(&loaded_, (pointer), sizeof loaded_); \
    loaded_;                                               \
  })

#define FORGE_STORE(pointer, value)                        \
  do {                                                     \
    __typeof__(value) stored_ = (value);                   \
    __builtin_memcpy((pointer), &stored_, sizeof stored_); \
  } while (0)

/* The numbers of `a` where the mask is set, else those of `b`; evaluates them once. */
#define FORGE_PICK(mask, a, b)                              \
  ({                                                        \
    const i32x16 mask_ = (mask);                            \
    (f32x16)(((i32x16)(a)&mask_) | ((i32x16)(b) & ~mask_)); \
  })

#define FORGE_WIDE(type, vector) __builtin_convertvector(vector, type)

#endif
