#ifndef CSERVING_SYSTEM_H
#define CSERVING_SYSTEM_H

#include <malloc.h>
#include <zlib.h>

// inflateInit2 and deflateInit2 are macros, which Swift does not import.

// Begins to decompress gzip or zlib data, whichever it is.
static inline int serving_inflate_begin(z_stream *stream) {
  return inflateInit2(stream, MAX_WBITS + 32);
}

// Begins to compress as gzip or, with gzip == 0, as zlib data.
static inline int serving_deflate_begin(z_stream *stream, int gzip) {
  return deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + (gzip ? 16 : 0), 8,
                      Z_DEFAULT_STRATEGY);
}

// Compresses all that the stream has been given; `deflate` is also the name of a coding in Swift.
static inline int serving_deflate_all(z_stream *stream) { return deflate(stream, Z_FINISH); }

#endif
