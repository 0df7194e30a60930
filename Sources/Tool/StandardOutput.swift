import CForgeProcess
import ForgeSystem

/// Standard output, whose errors end the command with exit code 1.
///
/// `print` ignores errors, so a report on a full disk would be lost in silence.
enum StandardOutput {
  /// Writes what is buffered.
  static func flush() { _ = forge_flush_output() }

  /// Writes what is buffered; returns why not everything could be written, or `nil`.
  ///
  /// A closed output or pipe is not an error: the reader wanted no more.
  static func failure() -> String? {
    let code = forge_flush_output()
    guard code != 0 else { return nil }
    if code == EPIPE || fcntl(STDOUT_FILENO, F_GETFD) < 0 { return nil }
    var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR) != 0 { return nil }
    return switch code {
    case ENOSPC, EDQUOT: "the disk is full"
    case EFBIG: "the file is too large"
    case EIO: "the device failed"
    default: "not everything could be written"
    }
  }
}
