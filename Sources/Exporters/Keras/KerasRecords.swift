import ForgeLoaders

/// A tensor of a Keras model to write: one output of one call of a layer.
struct KerasTensor {
  /// The index of the layer.
  let layer: Int
  /// The number of the call.
  let call: Int
  /// The number of the output.
  let output: Int
  /// The sizes without the examples.
  let sizes: [Int]
  /// The element type.
  var type = "float32"
}

/// An argument of a call.
indirect enum KerasArgument {
  case tensor(KerasTensor)
  case json(KerasJSON)
  case list([KerasArgument])

  /// The tensors in order.
  var tensors: [KerasTensor] {
    switch self {
    case .tensor(let tensor): [tensor]
    case .json: []
    case .list(let list): list.flatMap(\.tensors)
    }
  }
}

/// A layer or an operation of a Keras model to write.
struct KerasRecord {
  /// What it is in Keras.
  struct Kind {
    let module: String
    let name: String
    let isOperation: Bool

    /// A layer of `keras.layers`.
    static func layer(_ name: String) -> Kind {
      Kind(module: "keras.layers", name: name, isOperation: false)
    }
    /// An operation of NumPy.
    static func numpy(_ name: String) -> Kind {
      Kind(module: "keras.src.ops.numpy", name: name, isOperation: true)
    }
    /// An operation of neural networks.
    static func nn(_ name: String) -> Kind {
      Kind(module: "keras.src.ops.nn", name: name, isOperation: true)
    }
    /// An operation of mathematics.
    static func math(_ name: String) -> Kind {
      Kind(module: "keras.src.ops.math", name: name, isOperation: true)
    }
    /// An operation of any tensors.
    static func core(_ name: String) -> Kind {
      Kind(module: "keras.src.ops.core", name: name, isOperation: true)
    }
  }

  /// One call.
  struct Call {
    let arguments: [KerasArgument]
    var keywords: [(name: String, value: KerasArgument)] = []

    /// The tensors in the order in which Keras counts them.
    var tensors: [KerasTensor] {
      arguments.flatMap(\.tensors)
        + keywords.sorted { $0.name < $1.name }.flatMap(\.value.tensors)
    }
  }

  /// A parameter in the order of Keras.
  struct Weight {
    let sizes: [Int]
    /// What its values are, for layers that are called several times.
    let key: String
    /// Returns the values.
    let values: () throws -> [Float]
  }

  let kind: Kind
  /// The name that it should have.
  var name: String
  var config: [(name: String, value: KerasJSON)]
  /// Its parameters.
  let weights: [Weight]
  /// Where the parameters are below the layer.
  let place: [String]
  /// The sizes of the outputs of the first call.
  let sizes: [[Int]]
  var calls: [Call]
  /// Whether it is an input of the model.
  var isInput: Bool { kind.name == "InputLayer" }
}

extension KerasRecord {
  /// The record as JSON.
  ///
  /// - Parameters:
  ///   - records: all records.
  ///   - names: their names.
  ///   - index: the place of this record among them.
  ///   - call: returns the number of a call among those that are written; `nil` for others.
  /// - Returns: the layer as Keras describes it.
  func json(
    _ records: [KerasRecord], _ names: [String], index: Int,
    call: (_ layer: Int, _ call: Int) -> Int?
  ) -> KerasJSON {
    func json(_ argument: KerasArgument) -> KerasJSON {
      switch argument {
      case .tensor(let tensor):
        .object(
          "__keras_tensor__",
          .object([
            ("shape", .list([.null] + tensor.sizes.map { .integer($0) })),
            ("dtype", .text(tensor.type)),
            (
              "keras_history",
              .list([
                .text(names[tensor.layer]), .integer(call(tensor.layer, tensor.call) ?? 0),
                .integer(tensor.output),
              ])
            ),
          ]))
      case .json(let value): value
      case .list(let list): .list(list.map { json($0) })
      }
    }
    let calls = self.calls.enumerated().filter { call(index, $0.offset) != nil && !isInput }
    let nodes = calls.map { _, call in
      KerasJSON.object([
        ("args", .list(call.arguments.map { json($0) })),
        ("kwargs", .object(call.keywords.map { ($0.name, json($0.value)) })),
      ])
    }
    let name = KerasJSON.text(names[index])
    let common: [(name: String, value: KerasJSON)] =
      kind.isOperation || isInput
      ? [] : [("trainable", .flag(true)), ("dtype", .text("float32"))]
    return .object([
      ("module", .text(kind.module)), ("class_name", .text(kind.name)),
      ("config", .object([("name", name)] + common + config)),
      ("registered_name", kind.isOperation ? .text(kind.name) : .null), ("name", name),
      ("inbound_nodes", .list(nodes)),
    ])
  }
}
