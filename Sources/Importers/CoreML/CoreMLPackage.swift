import Forge
import Foundation

/// A Core ML package: a folder with a manifest, a model file and its weights.
enum CoreMLPackage {
  private struct Manifest: Decodable {
    struct Item: Decodable {
      let path: String
    }

    let itemInfoEntries: [String: Item]
    let rootModelIdentifier: String
  }

  /// The file of the model: that of the package if the path is a folder, else the path itself.
  ///
  /// - Throws: ``ImportError``: `fileMissing`, `unreadable`, `tooLarge` or `malformed`.
  static func model(at path: String, limits: ImportLimits) throws(ImportError) -> String {
    let isFolder: Bool
    do throws(LoadError) { isFolder = try FileHead(path).isFolder } catch {
      throw ImportError(loading: error)
    }
    guard isFolder else { return path }
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    let place = "\(folder)/Manifest.json"
    let bytes = try ModelBytes.read(place, limits: limits)
    let manifest: Manifest
    do { manifest = try JSONDecoder().decode(Manifest.self, from: bytes) } catch {
      throw ImportError(
        .malformed, "this is not the manifest of a Core ML package", path: place,
        received: (error as? DecodingError)?.summary)
    }
    guard let item = manifest.itemInfoEntries[manifest.rootModelIdentifier] else {
      throw ImportError(
        .malformed, "the manifest does not list the model of the package", path: place,
        received: "\"\(manifest.rootModelIdentifier)\"")
    }
    guard isInside(item.path[...]) else {
      throw ImportError(
        .malformed, "the manifest names a file outside of the package", path: place,
        received: "\"\(item.path)\"")
    }
    return "\(folder)/Data/\(item.path)"
  }

  /// Whether a relative path stays in its folder.
  static func isInside(_ path: Substring) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return !path.isEmpty && !path.contains("\0")
      && parts.allSatisfy { !$0.isEmpty && $0 != ".." && $0 != "." }
  }
}
