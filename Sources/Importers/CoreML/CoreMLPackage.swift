import Forge
import FoundationEssentials

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
    let contents = ModelFolder(package: folder)
    let bytes: [UInt8]
    do throws(LoadError) {
      let file = try contents.file("Manifest.json")
      guard file.count <= maximumManifestBytes else {
        throw LoadError(
          .refused, "the manifest of the package is too large", path: place,
          received: LoadError.bytes(file.count), needs: "at most \(maximumManifestBytes)")
      }
      bytes = try file.bytes(at: 0, count: file.count)
    } catch { throw ImportError(loading: error) }
    let manifest: Manifest
    do { manifest = try JSONDecoder().decode(Manifest.self, from: Data(bytes)) } catch {
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
    do throws(LoadError) { _ = try contents.file("Data/\(item.path)") } catch {
      throw ImportError(loading: error)
    }
    return "\(folder)/Data/\(item.path)"
  }

  /// Manifests name a few files.
  private static let maximumManifestBytes = 1 << 20

  /// Whether a relative path stays in its folder.
  static func isInside(_ path: Substring) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return !path.isEmpty && !path.contains("\0")
      && parts.allSatisfy { !$0.isEmpty && $0 != ".." && $0 != "." }
  }
}
