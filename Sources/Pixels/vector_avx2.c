/* The vector forms for AVX2. No compiler flag is needed: the attribute sets the target of the
 * functions in a region. */
#include "vectors.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#define FORGE_FORM(name) name##_avx2
#define FORGE_TABLE forge_pixel_rows_avx2
#define FORGE_TABLE_NAME "avx2"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "vector/colors.h"
#include "vector/bytes.h"
#include "vector/floats.h"
#pragma clang attribute pop
#include "vector/table.h"

#endif
