#if Macros
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  /// What the Swift compiler starts to expand Forge's macros.
  @main struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
      NetworkMacro.self, ModelMacro.self, ShapeMacro.self, SummaryMacro.self,
    ]
  }
#else
  /// Without the trait `Macros` the target has nothing to do, but SwiftPM links it.
  @main struct Plugin {
    static func main() {}
  }
#endif
