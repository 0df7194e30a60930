import CForge
import Forge
import ForgeImporters

/// A failing call: its status, and the sentence of ``forge_last_error``.
struct Failure: Error {
  let status: forge_status
  let text: String

  init(_ status: Int, _ text: String) {
    self.status = forge_status(status)
    self.text = text
  }

  /// An argument that does not fit, with what does.
  init(_ headline: String, received: String, needs: String) {
    self.init(FORGE_BAD_ARGUMENT, "\(headline)\n  received  \(received)\n  needs     \(needs)")
  }

  static func null(_ name: String) -> Failure { Failure(FORGE_NULL_POINTER, "\(name) is NULL") }

  static func index(_ index: Int, of what: String, count: Int) -> Failure {
    Failure(
      "there is no \(what) with this index", received: "\(index)",
      needs: count == 0 ? "none" : count == 1 ? "0" : "0 to \(count - 1)")
  }
}

extension Failure {
  /// The failure for an error of any kind.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as PredictionError: self.init(Self.status(error.kind), "\(error)")
    case let error as ImportError: self.init(FORGE_BAD_FILE, "\(error)")
    case let error as LoadError: self.init(FORGE_BAD_FILE, "\(error)")
    case let error as CompileError: self.init(FORGE_NOT_COMPILED, "\(error)")
    default: self.init(FORGE_NOT_PREDICTED, "\(error)")
    }
  }

  private static func status(_ kind: PredictionErrorKind) -> Int {
    switch kind {
    case .busy: FORGE_BUSY
    case .noMemory: FORGE_NO_MEMORY
    case .notRealtime: FORGE_NOT_REALTIME
    case .invalidIndex, .inexactInteger, .streamTooLong, .wrongState, .customLayer, .notFinite,
      .parameters:
      FORGE_NOT_PREDICTED
    case .wrongValueCount, .wrongBatch, .unknownName, .missingInput, .severalOutputs, .wrongShape,
      .wrongThreads, .wrongWorkspace, .wrongCrop, .overlappingOutputs:
      FORGE_BAD_ARGUMENT
    }
  }
}

/// Runs the body of a function and turns what it throws into a status and a sentence.
@inline(__always)
func reporting(_ body: () throws -> Void) -> forge_status {
  do {
    try body()
    return forge_status(FORGE_OK)
  } catch {
    return report(error)
  }
}

@inline(never)
private func report(_ error: any Error) -> forge_status {
  let failure = Failure(error)
  var text = failure.text
  text.withUTF8 { bytes in
    guard let start = bytes.baseAddress else { return forge_set_last_error("", 0) }
    start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      forge_set_last_error($0, bytes.count)
    }
  }
  return failure.status
}
