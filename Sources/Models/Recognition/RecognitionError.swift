import Forge

/// The error of a weight file that matches none of the ready architectures.
package typealias RecognitionError = ForgeError<RecognitionErrorKind>

/// The kinds of ``RecognitionError``.
package enum RecognitionErrorKind: Hashable, Sendable {
  /// No ready architecture has these parameters.
  case unknownArchitecture
}
