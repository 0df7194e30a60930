/* Pictures from PNG files in memory, through libpng 1.6.
 *
 * libpng reports errors by longjmp, which must never cross a Swift frame: it stays inside the
 * function here. It keeps nothing between calls, prints nothing, releases what it took, and may be
 * called by any number of threads at once.
 */
#ifndef CFORGE_PNG_H
#define CFORGE_PNG_H

#include <stddef.h>
#include <stdint.h>

/* How a call ended; the numbers are those of CForgeJPEG. */
typedef enum {
  FORGE_PNG_DONE = 0,
  FORGE_PNG_TRUNCATED = 1, /* the bytes end before the picture does */
  FORGE_PNG_DAMAGED = 2,   /* the bytes contradict themselves */
  FORGE_PNG_NO_MEMORY = 4
} forge_png_status;

/* Bytes that the reasons are cut to. */
enum { FORGE_PNG_REASON = 256 };

typedef struct {
  uint32_t width, height;
  /* Bytes per decoded pixel: 1 gray, 3 RGB, 4 RGBA. Gray with transparency is RGBA. */
  uint32_t channels;
  /* The fewest bytes that a file of such a picture can have, for fewer than 2^48 pixels. */
  uint64_t least;
  /* An upper bound of the memory that decoding takes besides the file and the pixels. */
  uint64_t working;
} forge_png_header;

/* Reads what stands before the picture into `header`, and if `pixels` is not NULL decodes the
 * picture into it: height * width * channels bytes, as the header of the same bytes says, which the
 * caller has read before. Rows are from the top, without gaps. Of 16 bits per sample the upper 8
 * are taken; gamma and color profiles are passed over. `reason` has room for FORGE_PNG_REASON
 * bytes and holds libpng's words, or is empty. */
forge_png_status forge_png_decode(const uint8_t *bytes, size_t count, forge_png_header *header,
                                  uint8_t *pixels, char *reason);

/* The pixels of a file to be written: rows from the top. */
typedef struct {
  const uint8_t *pixels;
  size_t row_bytes;
  uint32_t width, height;
  uint32_t channels; /* 1 gray, 3 RGB, 4 RGBA */
  uint32_t bits;     /* 8, or 16 in the byte order of the machine */
  int level;         /* of compression, 0 to 9 */
} forge_png_picture;

/* Encodes a picture to a new file in memory, which the caller frees with forge_png_free. */
forge_png_status forge_png_encode(const forge_png_picture *picture, uint8_t **file, size_t *count,
                                  char *reason);
void forge_png_free(uint8_t *file);

#endif
