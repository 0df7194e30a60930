/* The forms for AVX-512, compiled without a flag: see vector_avx2.c. */
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#define FORGE_FORM(name) name##_avx512
#define FORGE_TABLE forge_sound_avx512
#define FORGE_TABLE_NAME "avx512"
#define FORGE_WIDTH 16

#pragma clang attribute push( \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#include "vector/lanes.h"
#include "vector/samples.h"
#include "vector/fourier.h"
#include "vector/spectrum.h"
#pragma clang attribute pop
#include "vector/table.h"

#endif
