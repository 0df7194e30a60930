import Forge

let input = Input(width: 12, height: 9, channels: 3)
let trunk = input --> Convolution(kernel: (3, 3), channels: 8, activation: .relu, name: "conv1")
let branch = trunk --> Convolution(kernel: (1, 1), channels: 8, name: "conv2")
let output =
  [trunk, branch] --> Add() --> MaxPooling(kernel: (2, 2))
  --> Dense(neurons: 4, name: "fc") --> Softmax()
let model = Model(input: input, output: output)

let network = try model.compile(
  parameters: RandomParameters(seed: 7), options: .init(verify: .samples(2)))
print(network.summary())

let pixels = (0..<12 * 9 * 3).map { Float($0 % 17) / 17 }
let probabilities = try network.predict(pixels)
print(probabilities.top(k: 2))

do {
  _ = try network.predict([1, 2, 3])
} catch {
  print(error)
}

let runner = try Runner(network, inflightBuffers: 2)
let again = try await runner.predict(pixels)
print(again == probabilities ? "the runner agrees" : "the runner differs")

#if canImport(ForgeHDF5)
  import ForgeHDF5
  import Foundation

  let path = NSTemporaryDirectory() + "downstream-\(ProcessInfo.processInfo.processIdentifier).h5"
  try HDF5Weights.write(model, parameters: RandomParameters(seed: 7), to: path)
  let read = try model.compile(parameters: HDF5Parameters(path)).predict(pixels)
  try FileManager.default.removeItem(atPath: path)
  guard read == probabilities else { fatalError("the weight file differs") }
#endif
