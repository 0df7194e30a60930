/* Every vector family, in the order of their needs. Included once by each vector_<level>.c, which
 * defines the level's names and tile sizes before. */
#include "vector.h"
#include "elementary.h"
#include "activation.h"

#include "affine.h"
#include "binary.h"
#include "convolution.h"
#include "image_convolution.h"
#include "winograd_transforms.h"
#include "winograd.h"
#include "plain_convolution.h"
#include "strassen.h"
#include "depthwise.h"
#include "grouped_convolution.h"
#include "pooling.h"
#include "softmax.h"
