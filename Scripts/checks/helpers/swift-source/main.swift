import Forge
import ForgeImporters
import Foundation

/// A network as source.
struct Case: Sendable {
  let name: String
  let compiled: @Sendable (String) throws -> CompiledModel

  init(_ name: String, _ compiled: @escaping @Sendable (String) throws -> CompiledModel) {
    (self.name, self.compiled) = (name, compiled)
  }
}

func floats(_ path: String) throws -> [Float] {
  let data = try Data(contentsOf: URL(fileURLWithPath: path))
  return data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
}

/// Whether two lists have the same bits.
func areSame(_ a: [Float], _ b: [Float]) -> Bool {
  a.map(\.bitPattern) == b.map(\.bitPattern)
}

/// The values as tensors of the inputs of a network.
func tensors(_ network: CompiledModel, _ values: [Float]) -> [String: TensorValues] {
  var rest = values[...]
  var tensors: [String: TensorValues] = [:]
  for (name, shape) in zip(network.inputNames, network.inputShapes) {
    let count = shape.elementCount ?? 0
    tensors[name] = TensorValues(shape: shape, values: Array(rest.prefix(count)))
    rest = rest.dropFirst(count)
  }
  return tensors
}

/// Compares the results of a typed interface, both forms, with those of its network.
///
/// `run` opens the file; it receives what makes the values of inputs of given sizes.
func check(
  _ path: String, _ sizes: [[Int]],
  _ run: (String, ([[Int]]) throws -> [[Float]]) async throws -> (
    CompiledModel, [[Float]], Any, Any
  )
) async -> Int {
  var failure: any Error = CancellationError()
  // What stands for indices must be whole and small.
  for scale in [0, 3, 1] as [Float] {
    do {
      let (network, values, outputs, others) = try await run(path) { sizes in
        sizes.enumerated().map { place, sizes in
          (0..<sizes.reduce(1, *)).map { index in
            let number = Float((index * 7919 + place * 31) % 997) / 997
            return scale == 0 ? number : (number * 100).rounded().truncatingRemainder(dividingBy: scale)
          }
        }
      }
      var inputs: [String: TensorValues] = [:]
      for (place, name) in network.inputNames.enumerated() {
        inputs[name] = TensorValues(shape: Shape(sizes: sizes[place]), values: values[place])
      }
      let predictions = try network.predict(inputs)
      let direct = network.outputNames.map { predictions[$0]?.values ?? [] }
      for typed in [outputs, others] {
        let lists = Mirror(reflecting: typed).children.map { child in
          (child.value as? [Float]) ?? (child.value as? TensorValues)?.values ?? []
        }
        guard lists.count == direct.count, zip(lists, direct).allSatisfy({ areSame($0, $1) }) else {
          print("\(path): the results of the interface differ")
          return 1
        }
      }
      return 0
    } catch {
      failure = error
    }
  }
  print("\(path): \(failure)")
  return 1
}

let folder = CommandLine.arguments[1]
var failures = 0
for network in cases {
  do {
    let compiled = try network.compiled(folder)
    let inputs = tensors(compiled, try floats("\(folder)/\(network.name).inputs"))
    let predictions = try compiled.predict(inputs)
    let outputs = compiled.outputNames.flatMap { predictions[$0]?.values ?? [] }
    guard areSame(outputs, try floats("\(folder)/\(network.name).outputs")) else {
      failures += 1
      print("\(network.name): the results differ")
      continue
    }
  } catch {
    failures += 1
    print("\(network.name): \(error)")
  }
}
print("\(cases.count) networks of Swift source, \(failures) differ")
failures += try await checkInterfaces(CommandLine.arguments[2])
exit(failures == 0 ? 0 : 1)
