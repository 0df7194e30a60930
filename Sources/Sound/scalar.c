/* The forms of one lane, which judge the others and run where no other does. */
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

#define FORGE_FORM(name) name##_scalar
#define FORGE_TABLE forge_sound_scalar
#define FORGE_TABLE_NAME "scalar"
#define FORGE_WIDTH 1

#include "vector/lanes.h"
#include "vector/samples.h"
#include "vector/fourier.h"
#include "vector/spectrum.h"
#include "vector/table.h"
