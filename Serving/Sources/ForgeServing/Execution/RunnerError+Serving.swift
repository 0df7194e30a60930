import Forge

extension ServingError {
  /// The error that a client receives for one of Forge's.
  ///
  /// The text of an error names tensors and sizes of the request, never a path of the server.
  init(_ error: any Error) {
    switch error {
    case let error as ServingError: self = error
    case let error as RunnerError:
      switch error.kind {
      case .cancelled: self.init(.cancelled, "the request was canceled")
      case .deadlineExceeded: self = .timeIsOver
      case .closed, .forked: self.init(.unavailable, "the model is being unloaded")
      case .invalidCount, .noThread: self.init(.failed, "\(error)")
      }
    case let error as PredictionError:
      switch error.kind {
      case .notFinite, .noMemory, .busy: self.init(.failed, Self.line(error))
      default: self.init(.invalid, Self.line(error))
      }
    case is CancellationError: self.init(.cancelled, "the request was canceled")
    default: self.init(.failed, "the prediction failed")
    }
  }

  /// An error in one line.
  static func line(_ error: any Error) -> String {
    "\(error)".split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }
      .joined(separator: "; ")
  }
}
