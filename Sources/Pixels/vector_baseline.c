/* The vector forms for what every processor of the architecture has: SSE2, or NEON. */
#include "vectors.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__) || defined(__aarch64__)

#define FORGE_FORM(name) name##_baseline
#define FORGE_TABLE forge_pixel_rows_baseline
#define FORGE_TABLE_NAME "baseline"

#include "vector/colors.h"
#include "vector/bytes.h"
#include "vector/floats.h"
#include "vector/table.h"

#endif
