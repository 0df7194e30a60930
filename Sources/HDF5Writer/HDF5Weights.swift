import ForgeLoaders
import ForgeShapes

/// Weight files as `model.save_weights("net.h5")` of Keras 1 and 2 writes them.
///
/// ```swift
/// try HDF5Weights.write(
///   [(kernelSpec, ParameterValues(kernel)), (biasSpec, ParameterValues(bias))], to: "net.h5")
/// ```
/// A layer is a group, which lists its parameters in Keras's order; the root lists the layers in
/// the order in which their parameters are given. Values have Keras's axis order. Keras loads
/// such a file by the order of layers or by their names, ``HDF5Parameters`` too.
public enum HDF5Weights {
  /// Keras's bound of an attribute, which HDF5 limits to 64 KB.
  private static let attributeBytes = 64_512
  /// The version of Keras whose form the file has.
  private static let kerasVersion = "2.15.0"
  private static let backend = "tensorflow"

  /// Writes parameters to a file.
  ///
  /// The file is created in memory, written under another name and renamed. No program sees a part
  /// of it, and an error leaves an existing file unchanged.
  ///
  /// - Parameters:
  ///   - parameters: each parameter with its values, which may have any type and axis order.
  ///   - matrices: the layers whose weights are matrices in Keras, with inputs and outputs as
  ///     their axes: its dense layers. Values that state their sizes in Keras's order have these
  ///     in the file; all others have one size for each axis.
  ///   - type: the type of the values in the file: single or half precision. HDF5 has no bfloat16,
  ///     and Keras no scales.
  ///   - path: the file; an existing file is replaced.
  /// - Throws: ``LoadError``: `duplicate` when two parameters have one name, `badName`,
  ///   `wrongCount` or `wrongShape` when values are not the parameter's, `unsupported` for another
  ///   type, `wrongElementType` when a value does not fit the type, `unreadable`,
  ///   `notARegularFile` or `fileMissing` when the file cannot be written, `outOfMemory`; and
  ///   what the values throw.
  public static func write(
    _ parameters: [(spec: ParameterSpec, data: any ParameterData)], matrices: Set<String> = [],
    as type: StoredType = .float32, to path: String
  ) throws {
    guard type == .float32 || type == .float16 else { throw LoadError.unwritableType(path, type) }
    let layers = try layers(parameters.map(\.spec), path)
    let data = Dictionary(parameters.map { ($0.spec, $0.data) }) { first, _ in first }
    let count = parameters.reduce(0) { $0.addingSaturated(max($1.data.count, 0)) }
    let file = try HDF5Image(
      byteCount: count.multipliedSaturated(by: MemoryLayout<Float>.size), for: path)
    try write(layers.map { EntryName($0.name) }, as: "layer_names", of: "/", in: file, path)
    try file.write(backend, as: "backend", of: "/")
    try file.write(kerasVersion, as: "keras_version", of: "/")
    for layer in layers {
      try write(
        layer.parameters.map(\.name), as: "weight_names", of: "/" + layer.name, in: file, path)
      for (spec, name) in layer.parameters {
        guard let data = data[spec] else { continue }
        try write(
          spec, data, as: type, isMatrix: matrices.contains(layer.name),
          at: "/\(layer.name)/\(name.text)", in: file)
      }
    }
    let bytes = try file.bytes()
    try FileReplacement.replace(path, with: [UnsafeRawBufferPointer(bytes.bytes)])
  }

  /// A layer with the names of its parameters, in Keras's order.
  private typealias Layer = (
    name: String, parameters: [(spec: ParameterSpec, name: EntryName)]
  )

  private static func layers(
    _ specs: [ParameterSpec], _ path: String
  ) throws(LoadError) -> [Layer] {
    var layers: [Layer] = []
    for (layer, specs) in ParameterNames.byLayer(specs) {
      var names: Set<EntryName> = []
      var parameters: [(spec: ParameterSpec, name: EntryName)] = []
      for spec in ParameterNames.kerasOrder(specs) {
        let word = ParameterNames.kerasName(of: spec, among: specs).text
        guard isName(layer), isName(word) else { throw .unwritableName(path, for: spec) }
        let name = EntryName("\(layer)/\(word):0")
        guard names.insert(name).inserted else { throw .twoParameters(path, name.text, spec) }
        parameters.append((spec, name))
      }
      layers.append((layer, parameters))
    }
    return layers
  }

  /// Whether HDF5 keeps a name unchanged: no part of the path is empty or a dot.
  private static func isName(_ name: String) -> Bool {
    !name.utf8.contains(0)
      && name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        .allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) }
  }

  /// Writes a list of names, which is split as in Keras if it is too long for an attribute.
  private static func write(
    _ names: [EntryName], as attribute: String, of group: String, in file: borrowing HDF5Image,
    _ path: String
  ) throws(LoadError) {
    let width = max(names.map(\.count).max() ?? 0, 1)
    let most = attributeBytes / width
    guard most > 0 else { throw .entryNotWritten(path, "\(group), \(attribute)") }
    guard names.count > most else {
      return try file.write(names, as: attribute, of: group)
    }
    for (number, start) in stride(from: 0, to: names.count, by: most).enumerated() {
      try file.write(
        Array(names[start...].prefix(most)), as: "\(attribute)\(number)", of: group)
    }
  }

  /// Writes the values of a parameter in Keras's order.
  private static func write(
    _ spec: ParameterSpec, _ data: any ParameterData, as type: StoredType, isMatrix: Bool,
    at entry: String, in file: borrowing HDF5Image
  ) throws {
    let form = try StoredForm(spec, data, in: .keras, isMatrix: isMatrix)
    let values = try form.values(for: entry)
    if type == .float16 { try type.narrow(values.bytes, of: spec) }
    try file.write(
      UnsafeRawBufferPointer(values.bytes), as: type, sizes: form.sizes, at: entry)
  }
}
