#if Macros
  import ForgeLayers
  import ForgeShapes

  /// The initialisers of Forge's layers by their names.
  struct LayerTable: Sendable {
    /// One initialiser.
    struct Initializer: Sendable {
      let parameters: Parameters
      let make: @Sendable (MatchedArguments, SourcePlace) throws -> any Step
    }

    /// All initialisers of each name.
    private(set) var initializers: [String: [Initializer]] = [:]

    /// The table of this version of Forge.
    static let shared: LayerTable = {
      var table = LayerTable()
      addLayerCalls(to: &table)
      return table
    }()

    /// Adds an initialiser.
    mutating func add(
      _ name: String, _ parameters: [Parameter],
      make: @escaping @Sendable (MatchedArguments, SourcePlace) throws -> any Step
    ) {
      initializers[name, default: []].append(
        Initializer(parameters: Parameters(parameters), make: make))
    }
  }
#endif
