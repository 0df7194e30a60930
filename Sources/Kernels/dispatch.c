#include "CForgeKernels.h"
