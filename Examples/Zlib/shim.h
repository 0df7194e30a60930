#ifndef CEXAMPLE_ZLIB_H
#define CEXAMPLE_ZLIB_H

#if __has_include(<zlib.h>)
#include <zlib.h>
#else
#error "The LeNet example reads gzip files with zlib, whose header zlib.h is missing. Install it (Debian, Ubuntu: apt-get install zlib1g-dev)."
#endif

#endif
