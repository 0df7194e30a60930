import ForgeLoaders
import ForgeShapes

/// The tensors of a folder: those of `model.safetensors`, or of the files that an index names.
struct HubTensors: Sendable {
  /// The folder, for messages.
  let path: String
  private let files: [SafeTensors]
  /// The names of the files in the folder, except for that of a single file.
  let fileNames: [String]
  /// The file that holds a tensor.
  private let places: [String: Int]

  private static let single = "model.safetensors"
  private static let index = "model.safetensors.index.json"

  /// Opens the files.
  ///
  /// - Throws: ``HubError``: `fileMissing`, `unreadable`, `malformed`, `tooLarge` or `invalid`.
  init(_ folder: HubFolder) throws(HubError) {
    path = folder.path
    var names: [String] = []
    var files: [SafeTensors] = []
    // As in the library, the single file comes first.
    if !folder.has(Self.single), let index = try folder.settings(Self.index) {
      names = try Self.files(in: index, limits: folder.limits)
    } else {
      names = [Self.single]
    }
    var places: [String: Int] = [:]
    for name in names {
      let file: SafeTensors
      do throws(LoadError) { file = try SafeTensors(folder.path(of: name)) } catch {
        if error.kind == .fileMissing, names == [Self.single] { throw .noWeights(folder.path) }
        throw HubError(error)
      }
      for tensor in file.tensors {
        guard places.updateValue(files.count, forKey: tensor.name) == nil else {
          throw .invalid(
            tensor.name, "a tensor in two files", in: folder.path(of: Self.index),
            needs: "each tensor once")
        }
      }
      files.append(file)
    }
    self.files = files
    fileNames = names.filter { $0 != Self.single }
    self.places = places
  }

  /// The files that an index names, in alphabetical order.
  private static func files(
    in index: Settings, limits: HubLimits
  ) throws(HubError) -> [String] {
    guard let map = try index.settings("weight_map") else {
      throw .missing("weight_map", in: index.path, needs: "an object of tensors and files")
    }
    var files: Set<String> = []
    for tensor in map.names {
      guard let file = try map.text(tensor), !file.isEmpty, !file.contains("/"), file != "..",
        file.utf8.count <= 255, !file.utf8.contains(0)
      else {
        throw .invalid(
          map.name(tensor), "another path", in: index.path, needs: "a file in the same folder")
      }
      files.insert(file)
      guard files.count <= limits.shards else {
        throw HubError(
          .tooLarge, "the weights are in too many files", path: index.path,
          received: "more than \(limits.shards) files",
          remedy: "for a folder that you trust, raise shards in HubLimits")
      }
    }
    guard !files.isEmpty else { throw .noWeights(index.path) }
    return files.sorted()
  }

  /// Whether there is a tensor.
  func has(_ name: String) -> Bool { places[name] != nil }

  /// The values of a tensor; `nil` if there is none.
  func data(
    _ name: String, layout: ParameterLayout
  ) throws(LoadError) -> (any ParameterData)? {
    guard let place = places[name] else { return nil }
    return try files[place].data(named: name, layout: layout)
  }
}
