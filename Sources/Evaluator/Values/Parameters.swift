#if Macros
  /// A parameter of an initializer or a function that the evaluator may call.
  struct Parameter: Sendable {
    /// The label in a call; `nil` for `_`.
    let label: String?
    /// Whether a call may leave it out.
    let isOptional: Bool

    /// A parameter that a call must state; `_` has no label.
    static func required(_ label: String) -> Parameter {
      Parameter(label: label == "_" ? nil : label, isOptional: false)
    }

    /// A parameter with a default.
    static func optional(_ label: String) -> Parameter {
      Parameter(label: label == "_" ? nil : label, isOptional: true)
    }
  }

  /// The parameters of one function in order.
  struct Parameters: Sendable {
    let list: [Parameter]

    init(_ list: [Parameter]) { self.list = list }

    /// Assigns the arguments of a call to the parameters, in order; `nil` if they do not fit.
    func match(_ arguments: [Argument]) -> MatchedArguments? {
      var matched = [Argument?](repeating: nil, count: list.count)
      var next = 0
      for argument in arguments {
        while next < list.count, list[next].label != argument.label {
          guard list[next].isOptional else { return nil }
          next += 1
        }
        guard next < list.count else { return nil }
        matched[next] = argument
        next += 1
      }
      guard list[next...].allSatisfy(\.isOptional) else { return nil }
      return MatchedArguments(list: matched)
    }
  }

  /// The arguments of a call by the position of their parameters.
  struct MatchedArguments {
    /// The arguments that the call states.
    let list: [Argument?]

    /// A reason why a call cannot be made.
    enum Failure: Error {
      /// The type of an argument does not fit, so another overload is meant.
      case mismatch
      /// An argument has no known value.
      case unknown(Unknown, argument: Int)
    }

    /// The argument of a parameter that has no default.
    func callAsFunction<Result: SourceValue>(_ index: Int) throws(Failure) -> Result {
      guard let argument = list[index] else { throw .mismatch }
      if let unknown = argument.value.unknown { throw .unknown(unknown, argument: index) }
      guard let result = Result.converted(from: argument.value) else { throw .mismatch }
      return result
    }

    /// A layer of a kind, such as the one that `Bidirectional` takes.
    func step<Kind>(_ index: Int, as kind: Kind.Type) throws(Failure) -> Kind {
      guard let argument = list[index] else { throw .mismatch }
      if let unknown = argument.value.unknown { throw .unknown(unknown, argument: index) }
      guard case .step(let step) = argument.value, let layer = step as? Kind else {
        throw .mismatch
      }
      return layer
    }

    /// The argument of a parameter, or its default.
    func callAsFunction<Result: SourceValue>(
      _ index: Int, _ fallback: Result
    ) throws(Failure) -> Result {
      guard list[index] != nil else { return fallback }
      return try self(index)
    }

    /// Two numbers in a tuple.
    func pair(_ index: Int) throws(Failure) -> (Int, Int) {
      let pair: Pair = try self(index)
      return (pair.first, pair.second)
    }

    /// Two numbers in a tuple, or the default.
    func pair(_ index: Int, _ fallback: (Int, Int)) throws(Failure) -> (Int, Int) {
      guard list[index] != nil else { return fallback }
      return try pair(index)
    }

    /// Two numbers in a tuple, or `nil`.
    func optionalPair(_ index: Int) throws(Failure) -> (Int, Int)? {
      let pair: Pair? = try self(index, nil)
      return pair.map { ($0.first, $0.second) }
    }
  }
#endif
