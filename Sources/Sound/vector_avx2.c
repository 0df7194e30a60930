/* The forms for AVX2. No compiler flag is needed: the attribute sets the target of the functions
 * in a region. */
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#define FORGE_FORM(name) name##_avx2
#define FORGE_TABLE forge_sound_avx2
#define FORGE_TABLE_NAME "avx2"
#define FORGE_WIDTH 8

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "vector/lanes.h"
#include "vector/samples.h"
#include "vector/fourier.h"
#include "vector/spectrum.h"
#pragma clang attribute pop
#include "vector/table.h"

#endif
