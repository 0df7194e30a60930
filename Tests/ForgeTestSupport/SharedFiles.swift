import Foundation
import Testing

/// Files in `../shared`, beside the checkout: models, pictures and data of others.
///
/// They are optional. Tests read no other files outside of the repository.
public enum SharedFiles {
  /// The folder `../shared`.
  public static let folder = URL(filePath: #filePath).resolvingSymlinksInPath()
    .appending(path: "../../../../shared").standardized
  /// Its folder of data, `../shared/data`.
  public static let data = folder.appending(path: "data")

  /// Whether a file or folder is there: `data/photos`.
  public static func has(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: name).path)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test where files of ``SharedFiles/folder`` are absent: `.shared("data/photos")`.
  public static func shared(_ names: String...) -> Self {
    let absent = names.filter { !SharedFiles.has($0) }
    return .enabled(
      if: absent.isEmpty, "no \(absent.map { "../shared/\($0)" }.joined(separator: ", "))")
  }
}
