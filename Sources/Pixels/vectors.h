/* The vectors of all forms; the compiler splits what is wider than a register. */
#ifndef FORGE_PIXEL_VECTORS_H
#define FORGE_PIXEL_VECTORS_H

#include "rows.h"

typedef uint8_t u8x8 __attribute__((vector_size(8)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint8_t u8x32 __attribute__((vector_size(32)));
typedef uint8_t u8x64 __attribute__((vector_size(64)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef int16_t i16x8 __attribute__((vector_size(16)));
typedef int16_t i16x16 __attribute__((vector_size(32)));
typedef int16_t i16x32 __attribute__((vector_size(64)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int32_t i32x8 __attribute__((vector_size(32)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef int32_t i32x32 __attribute__((vector_size(128)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x16 __attribute__((vector_size(64)));

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

#define FORGE_WIDE(type, vector) __builtin_convertvector(vector, type)

/* Each of 8 lanes twice. */
#define FORGE_TWICE(v) __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7)

/* Lanes of 32 bits as bytes. */
#define FORGE_AS_BYTES(v)                                                     \
  __builtin_elementwise_min(__builtin_elementwise_max(v, (__typeof__(v)){0}), \
                            (__typeof__(v)){0} + 255)

#endif
