/// What an importer is told besides the file.
///
/// ```swift
/// var options = ImportOptions()
/// options.sizes["image"] = [1, 3, 224, 224]
/// options.constants["axes"] = try StoredTensor(int64s: [1, 2])
/// ```
public struct ImportOptions: Sendable {
  /// The sizes of inputs, by name, with the axes of the file, batch included.
  ///
  /// They are needed where the file leaves a size open, and replace those of the file.
  public var sizes: [String: [Int]]
  /// The values of inputs that are bound while importing, by name.
  ///
  /// Such an input becomes a constant of the model and is not one of its inputs.
  public var constants: [String: StoredTensor]
  /// The limits on the file.
  public var limits: ImportLimits

  /// Creates options; those that are not given have defaults.
  ///
  /// - Parameters:
  ///   - sizes: the sizes of inputs, by name, with the axes of the file.
  ///   - constants: the values of inputs that are bound while importing, by name.
  ///   - limits: the limits on the file.
  public init(
    sizes: [String: [Int]] = [:], constants: [String: StoredTensor] = [:],
    limits: ImportLimits = ImportLimits()
  ) {
    self.sizes = sizes
    self.constants = constants
    self.limits = limits
  }

  /// Checks that all names are those of inputs.
  ///
  /// - Throws: ``ImportError`` of kind `unknownName`.
  func checkNames(_ inputs: Set<String>, path: String) throws(ImportError) {
    for (names, purpose) in [(constants.keys.sorted(), " to bind"), (sizes.keys.sorted(), "")] {
      for name in names where !inputs.contains(name) {
        throw ImportError(
          .unknownName, "the model has no input \"\(name)\"\(purpose)", path: path,
          needs: "one of " + inputs.sorted().joined(separator: ", "))
      }
    }
  }
}
