/* The forms for what every processor of the architecture has: SSE2, or NEON. */
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__) || defined(__aarch64__)

#define FORGE_FORM(name) name##_baseline
#define FORGE_TABLE forge_sound_baseline
#define FORGE_TABLE_NAME "baseline"
#define FORGE_WIDTH 4

#include "vector/lanes.h"
#include "vector/samples.h"
#include "vector/fourier.h"
#include "vector/spectrum.h"
#include "vector/table.h"

#endif
