#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The value of an environment variable.
func environmentValue(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
