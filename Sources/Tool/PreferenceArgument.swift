import ArgumentParser
import Forge

/// The argument for what a plan is optimized for.
enum PreferenceArgument: String, ExpressibleByArgument, CaseIterable {
  case speed, size

  /// The corresponding option of a compile.
  var preference: CompileOptions.Preference { self == .size ? .size : .speed }
}
