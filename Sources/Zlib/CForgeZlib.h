#ifndef CFORGE_ZLIB_H
#define CFORGE_ZLIB_H

#if __has_include(<zlib.h>)
#include <zlib.h>
#else
#error \
  "Forge reads compressed archives (.npz, .keras) with zlib, whose header zlib.h is missing. Install it (Debian, Ubuntu: apt-get install zlib1g-dev), or build Forge without it: depend on it without the trait Zip."
#endif

// Begins to decompress deflate data as zip archives hold it, without a head or a checksum.
//
// inflateInit2 is a macro, which Swift does not import.
static inline int forge_inflate_begin(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

#endif
