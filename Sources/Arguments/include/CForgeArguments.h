#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The number of arguments of the process with its name; 0 if the C library does not tell.
int forge_argument_count(void);

/// The arguments of the process with its name; null if the C library does not tell.
char *const *forge_arguments(void);

#ifdef __cplusplus
}
#endif
