import ForgeShapes

/// An error of a folder of the Hub, or of a task on it.
///
/// ```
/// model/config.json: hidden_act: Forge does not support this value
///   received  "snake"
///   needs     gelu, gelu_10, gelu_fast, …
/// ```
public typealias HubError = ForgeError<HubErrorKind>

/// The kinds of ``HubError``.
public enum HubErrorKind: String, Hashable, Sendable {
  /// A file or the folder does not exist.
  case fileMissing
  /// A file cannot be read.
  case unreadable
  /// A file is damaged or of another format.
  case malformed
  /// A size, a count or a depth is beyond the limits.
  case tooLarge
  /// The folder uses an architecture, a module or an option that Forge does not have.
  case unsupported
  /// A value contradicts another one, or has the wrong type or range.
  case invalid
  /// The tokenizer of the folder, or a text for it.
  case tokenizer
  /// The network of the folder does not compile, such as with weights that do not fit.
  case compile
  /// A prediction failed.
  case prediction
}

/// The sentences of the errors; tests compare them.
extension ForgeError where ErrorKind == HubErrorKind {
  /// The error of a file that cannot be opened or read.
  init(_ error: LoadErrorOfHub) {
    let kind: HubErrorKind =
      switch error.kind {
      case .fileMissing: .fileMissing
      case .unreadable, .notARegularFile, .badName: .unreadable
      case .refused, .outOfMemory: .tooLarge
      default: .malformed
      }
    self.init(kind, error.problem)
  }

  static func unsupported(
    _ name: String, _ received: String, in path: String, needs: String? = nil,
    remedy: String? = nil
  ) -> Self {
    Self(
      .unsupported, "Forge does not support this value", path: path, entry: name,
      received: received,
      needs: needs, remedy: remedy)
  }

  static func invalid(_ name: String, _ received: String, in path: String, needs: String) -> Self {
    Self(
      .invalid, "the value is not valid here", path: path, entry: name, received: received,
      needs: needs)
  }

  static func missing(_ name: String, in path: String, needs: String) -> Self {
    Self(.invalid, "the value is missing", path: path, entry: name, needs: needs)
  }

  static func wrongForm(_ path: String, needs: String) -> Self {
    Self(.malformed, "the file does not have the expected structure", path: path, needs: needs)
  }

  static func tooLarge(_ path: String, _ bytes: Int, limit: Int) -> Self {
    Self(
      .tooLarge, "the file is beyond the limits", path: path, received: Self.bytes(bytes),
      needs: "at most \(Self.bytes(limit))",
      remedy: "for a folder that you trust, raise settingBytes in HubLimits")
  }

  static func noTokenizer(_ path: String) -> Self {
    Self(
      .fileMissing, "the folder has no tokenizer", path: path,
      needs: "tokenizer.json, or vocab.txt of a BERT",
      remedy: "save the tokenizer with AutoTokenizer(…, use_fast=True).save_pretrained(folder)")
  }

  static func noWeights(_ path: String) -> Self {
    Self(
      .fileMissing, "the folder has no weights that Forge reads", path: path,
      needs: "model.safetensors, or model.safetensors.index.json with its files",
      remedy: "save the model with model.save_pretrained(folder, safe_serialization=True)")
  }

  static func tokenizer(_ cause: any Error, _ path: String) -> Self {
    Self(.tokenizer, "the tokenizer reports an error", path: path, cause: cause)
  }

  static func notCompiled(_ cause: any Error, _ path: String) -> Self {
    Self(.compile, "the network does not compile", path: path, cause: cause)
  }

  static func notPredicted(_ cause: any Error, _ path: String) -> Self {
    Self(.prediction, "the prediction failed", path: path, cause: cause)
  }
}
