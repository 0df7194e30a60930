/* The memory behind forge_last_error, for Forge's own code. */
#ifndef FORGE_MESSAGE_H
#define FORGE_MESSAGE_H

#include <stddef.h>

/* Makes a text the last error of the calling thread. A longer one is cut before a character of
 * UTF-8. */
void forge_set_last_error(const char *text, size_t count);

#endif
