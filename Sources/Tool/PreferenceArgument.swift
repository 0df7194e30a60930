import ArgumentParser
import Forge

/// What a plan is made for, as commands take it.
enum PreferenceArgument: String, ExpressibleByArgument, CaseIterable {
  case speed, size

  /// The option of a compile.
  var preference: CompileOptions.Preference { self == .size ? .size : .speed }
}
