#if Macros
  import ForgeEvaluator
  import ForgeShapes
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// The source of the structure `Network` that `@Network` adds to a type.
  struct TypedForm {
    let network: CheckedNetwork
    /// The type that describes the network.
    let owner: String
    /// `public `, or nothing.
    let access: String

    init(_ network: CheckedNetwork, owner: String, access: String) {
      self.network = network
      self.owner = owner
      self.access = access
    }

    /// The declaration.
    var declaration: DeclSyntax {
      """
      /// The network with its sizes in its type.
      \(raw: access)struct Network: ForgeMacros.TypedNetwork {
        \(raw: input)
        \(raw: output)
        /// The description of the network.
        \(raw: access)static var model: ForgeGraph.Model {
          ForgeMacros.describedModel(fileID: #fileID, line: #line, column: #column) {
            \(raw: owner).body
          }
        }
        /// The compiled network.
        \(raw: access)let compiled: Forge.CompiledModel
        /// Creates a network from a compiled one whose shapes have been checked.
        \(raw: access)init(checked compiled: Forge.CompiledModel) { self.compiled = compiled }
      }
      """
    }

    /// The type of a tensor.
    private func type(_ port: CheckedNetwork.Port) -> String {
      guard let shape = port.shape, let sizes = shape.sizes else { return "Forge.TensorValues" }
      switch sizes.count {
      case 1: return "ForgeMacros.FixedVector<\(sizes[0])>"
      case 2: return "ForgeMacros.FixedMatrix<\(sizes[0]), \(sizes[1])>"
      // Layers make vectors as images of one pixel.
      case 3 where sizes[0] == 1 && sizes[1] == 1: return "ForgeMacros.FixedVector<\(sizes[2])>"
      case 3: return "ForgeMacros.FixedImage<\(sizes[1]), \(sizes[0]), \(sizes[2])>"
      default: return "Forge.TensorValues"
      }
    }

    private func shape(_ port: CheckedNetwork.Port) -> String {
      let sizes = port.shape?.dimensions.map { $0.map(String.init) ?? "nil" }
      return sizes.map { "ForgeShapes.Shape([\($0.joined(separator: ", "))])" } ?? "nil"
    }

    private var input: String {
      if network.inputs.count == 1 {
        return """
          /// The input.
            \(access)typealias Input = \(type(network.inputs[0]))
          """
      }
      let properties = properties(of: network.inputs)
      return """
        /// The inputs.
          \(access)struct Input: ForgeMacros.NetworkInput {
            \(declarations(properties))
            /// Creates the inputs of one prediction.
            \(access)init(\(properties.map { "\($0.name): \($0.type)" }.joined(separator: ", "))) {
              \(properties.map { "self.\($0.name) = \($0.name)" }.joined(separator: "\n      "))
            }
            \(shapes("inputShapes", network.inputs))
            /// The values by the names of the inputs.
            \(access)var predictionInputs: Forge.PredictionInputs {
              ([\(properties.map(\.entry).joined(separator: ", "))]
                as [String: Forge.TensorValues]).predictionInputs
            }
          }
        """
    }

    private var output: String {
      if network.outputs.count == 1 {
        return """
          /// The output.
            \(access)typealias Output = \(type(network.outputs[0]))
          """
      }
      let properties = properties(of: network.outputs)
      let missing = "Forge.TensorValues(shape: ForgeShapes.Shape([]), values: [])"
      return """
        /// The outputs.
          \(access)struct Output: ForgeMacros.NetworkOutput {
            \(declarations(properties))
            \(shapes("outputShapes", network.outputs))
            /// `false`: there are several outputs.
            \(access)static var isSingle: Bool { false }
            /// Takes the outputs of a prediction, whose shapes have been checked.
            \(access)init(_ predictions: Forge.Predictions) {
              \(properties.map { property in
                let name = quoted(property.port.name)
                return property.isFixed
                  ? "\(property.name) = .init(checked: predictions[\(name)]?.values ?? [])"
                  : "\(property.name) = predictions[\(name)] ?? \(missing)"
              }.joined(separator: "\n      "))
            }
          }
        """
    }

    // MARK: Properties

    /// A property for one of several tensors.
    private struct Property {
      let name: String
      let type: String
      let port: CheckedNetwork.Port
      var isFixed: Bool { type.hasPrefix("ForgeMacros.") }
      /// Its entry in a dictionary of the tensors by name.
      var entry: String {
        "\(StringLiteralExprSyntax(content: port.name)): \(name)\(isFixed ? ".tensorValues" : "")"
      }
    }

    private func properties(of ports: [CheckedNetwork.Port]) -> [Property] {
      var used: Set<String> = []
      return ports.map { port in
        var name = Self.identifier(port.name)
        // Two names may differ in what an identifier cannot hold.
        while !used.insert(name).inserted { name += "_" }
        return Property(name: name, type: type(port), port: port)
      }
    }

    private func declarations(_ properties: [Property]) -> String {
      properties.map { property in
        "/// The tensor \(quoted(property.port.name)).\n    "
          + "\(access)let \(property.name): \(property.type)"
      }.joined(separator: "\n    ")
    }

    private func shapes(_ name: String, _ ports: [CheckedNetwork.Port]) -> String {
      let list = ports.map { "(\(quoted($0.name)), \(shape($0)))" }.joined(separator: ", ")
      return """
        /// The shapes by name.
            \(access)static var \(name): [(name: String?, shape: ForgeShapes.Shape?)] { [\(list)] }
        """
    }

    private func quoted(_ text: String) -> String {
      StringLiteralExprSyntax(content: text).description
    }

    /// A name as an identifier: `stage1.fc` is `stage1_fc`.
    static func identifier(_ name: String) -> String {
      var text = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
      if text.first?.isNumber ?? true { text = "_" + text }
      // Backticks make an identifier of every keyword.
      return "`\(text)`" == "`_`" ? "_0" : text.isSwiftKeyword ? "`\(text)`" : text
    }
  }

  extension String {
    /// Whether an identifier of this text needs backticks.
    fileprivate var isSwiftKeyword: Bool {
      [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else",
        "enum", "extension", "false", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "true",
        "try",
        "typealias", "var", "where", "while",
      ].contains(self)
    }
  }
#endif
