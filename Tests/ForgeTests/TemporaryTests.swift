import Forge
import ForgeTestSupport
import Testing

@Suite struct TemporaryTests {
  @Test func statistics() throws {
    var kinds: [String: Int] = [:]
    var rewrites: [String: Int] = [:]
    var kernels: [String: Int] = [:]
    var layers: [Int] = []
    for seed in UInt64(0)..<300 {
      let model = RandomNetwork(seed: seed).model
      let reference = try ReferenceModel(model)
      layers.append(reference.layerNames.count)
      for node in reference.inference.nodes { kinds[node.typeName, default: 0] += 1 }
      let report = try model.compile(parameters: SeededParameters()).report
      for count in report.rewrites { rewrites[count.name, default: 0] += count.places > 0 ? 1 : 0 }
      for step in report.steps { kernels[String(step.kernel.prefix { $0 != " " }), default: 0] += 1 }
    }
    print(layers.sorted())
    print(kinds.sorted { $0.value > $1.value })
    print(rewrites)
    print(kernels)
  }
}
