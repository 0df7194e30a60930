#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The number of arguments of the process with its name; 0 if the C library does not tell.
int forge_argument_count(void);

/// The arguments of the process with its name; null if the C library does not tell.
char *const *forge_arguments(void);

/// Writes what is buffered of standard output.
///
/// Returns 0, the error of the system, or −1 if an earlier write failed.
int forge_flush_output(void);

#ifdef __cplusplus
}
#endif
