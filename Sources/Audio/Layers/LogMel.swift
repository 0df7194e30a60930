import Forge

/// Powers as logarithms; see ``SpectrumScale``.
///
/// ```swift
/// x --> MelSpectrogram(bands: 80, rate: 16000, size: 400) --> LogMel(.decibels())
/// ```
///
/// - Input shape: any; of known sizes where the scale depends on the largest number of all.
/// - Output shape: the same.
/// - Parameters: none.
/// - Errors: `invalidArgument` for a number out of range.
/// - Names elsewhere: librosa.power_to_db, torchaudio AmplitudeToDB.
public struct LogMel: Layer {
  /// The name, if given.
  public let name: String?
  /// The source location.
  public let place: SourcePlace
  /// The scale.
  public let scale: SpectrumScale

  /// Creates the layer.
  ///
  /// - Parameters:
  ///   - scale: the scale.
  ///   - name: the name in summaries.
  ///   - fileID: the file; leave it out.
  ///   - line: the line; leave it out.
  ///   - column: the column; leave it out.
  public init(
    _ scale: SpectrumScale = .decibels(), name: String? = nil,
    fileID: String = #fileID, line: Int = #line, column: Int = #column
  ) {
    self.scale = scale
    self.name = name
    place = SourcePlace(fileID: fileID, line: line, column: column)
  }

  /// Lowers to elementwise operations and, for a range, the largest number of all.
  public func lower(into lowering: inout Lowering) throws(ShapeError) {
    try lowering.check(scale.problem)
    lowering.output = try lowering.scaled(try lowering.input(), scale)
  }
}
