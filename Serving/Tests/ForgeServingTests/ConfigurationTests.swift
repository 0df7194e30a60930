import Forge
import ForgeServing
import Testing

@Suite struct ConfigurationTests {
  @Test func everythingThatConcernsACPU() throws {
    let configuration = try ModelConfiguration(
      """
      # A comment
      name: "resnet"  platform: 'onnxruntime_onnx'
      max_batch_size: 8
      default_model_filename: "net" ".onnx"
      input [ { name: "x" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] } ]
      version_policy: { specific { versions: [3, 1] } }
      instance_group [ { count: 2 kind: KIND_CPU }, { count: 4, kind: KIND_GPU } ]
      dynamic_batching {
        preferred_batch_size: [ 4, 6 ]
        max_queue_delay_microseconds: 500
        default_queue_policy < max_queue_size: 20 >
      }
      optimization { graph { level: 1 } };
      sequence_batching { max_sequence_idle_microseconds: 5000000 }
      parameters: { key: "forge.sizes" value: { string_value: "ids=1x..512; mask = 1x16" } }
      """)
    #expect(configuration.name == "resnet")
    #expect(configuration.maximumBatch == 8)
    #expect(configuration.fileName == "net.onnx")
    #expect(configuration.policy == .specific([3, 1]))
    #expect(configuration.policy.versions(of: [1, 2, 3, 7]) == [1, 3])
    #expect(configuration.instances == 2)
    #expect(configuration.preferredBatch == 6)
    #expect(configuration.queueDelay == .microseconds(500))
    #expect(configuration.queueSize == 20)
    #expect(configuration.sequenceIdle == .seconds(5))
    let sizes = try configuration.sizes()
    #expect(sizes.keys.sorted() == ["ids", "mask"])
    #expect(sizes["ids"]?.count == 2)
    #expect(configuration.message.messages("input")[0].scalars("dims") == ["3", "224", "224"])
  }

  @Test func policies() throws {
    #expect(try ModelConfiguration("").policy.versions(of: [2, 10, 1]) == [10])
    let two = try ModelConfiguration("version_policy { latest { num_versions: 2 } }")
    #expect(two.policy.versions(of: [2, 10, 1]) == [2, 10])
    let all = try ModelConfiguration("version_policy { all { } }")
    #expect(all.policy.versions(of: [2, 10, 1]) == [1, 2, 10])
  }

  @Test(arguments: [
    "name: \"a", "name:", "input [ { name: \"x\" }", "max_batch_size: -1", "max_batch_size: x",
    "instance_group { count: 0 }", "name: \"\\q\"", "}", "a: [1, 2", "platform: \"ensemble\"",
    "ensemble_scheduling { }", "backend: \"python\"", ": 1",
    "dynamic_batching { preferred_batch_size: [ 0 ] }",
  ])
  func refusals(_ text: String) {
    #expect(throws: ServingError.self) { try ModelConfiguration(text) }
  }

  @Test func openSizes() throws {
    let configuration = try ModelConfiguration(
      """
      parameters {
        key: "forge.sizes" value { string_value: "x = 1x3x(h: 32..960/32)x(w:32..960/32)" }
      }
      """)
    #expect(
      try configuration.sizes() == [
        "x": [1, 3, .open("h", 32...960, step: 32), .open("w", 32...960, step: 32)]
      ])
  }

  @Test(arguments: ["ids", "ids=0x4", "ids=ax4", "ids=1x..x", "ids=99999999999999999999"])
  func wrongSizes(_ text: String) throws {
    let configuration = try ModelConfiguration(
      "parameters { key: \"forge.sizes\" value { string_value: \"\(text)\" } }")
    #expect(throws: ServingError.self) { try configuration.sizes() }
  }

  @Test func depthAndNumberAreBounded() {
    let deep = String(repeating: "a {", count: 10_000)
    #expect(throws: ServingError.self) { try ModelConfiguration(deep) }
    let many = String(repeating: "a: 1 ", count: 10_001)
    #expect(throws: ServingError.self) { try ModelConfiguration(many) }
  }

  /// Every prefix and every change of one character is read or refused.
  @Test func damagedTexts() {
    let text = "name: \"x\" input [ { dims: [ 1, -1 ] } ] instance_group { count: 2 } # end"
    for end in 0...text.count { _ = try? ModelConfiguration(String(text.prefix(end))) }
    for index in text.indices {
      for character in ["\"", "{", "}", "[", ":", "\\", "é", "\n", "#"] {
        var changed = text
        changed.replaceSubrange(index...index, with: character)
        _ = try? ModelConfiguration(changed)
      }
    }
  }
}
