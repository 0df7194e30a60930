import Forge
import Testing

/// The largest values of an output with their labels.
@Suite struct RankingTests {
  @Test func valuesAreInDescendingOrder() {
    let values: [Float] = [0.1, 0.5, -2, 0.3, 0.1]
    let top = values.top(k: 3)
    #expect(top.map(\.index) == [1, 3, 0])
    #expect(top.map(\.probability) == [0.5, 0.3, 0.1])
    #expect(top.map(\.label) == [nil, nil, nil])
    #expect(values.top(k: 1).map(\.index) == [1])
  }

  @Test func tiesAreInIndexOrder() {
    let values: [Float] = [1, 2, 2, 1, 2, 0, -0.0]
    #expect(values.top(k: 7).map(\.index) == [1, 2, 4, 0, 3, 5, 6])
    let many = [Float](repeating: 0.25, count: 1000)
    #expect(many.top(k: 1000).map(\.index) == Array(0..<1000))
  }

  @Test func nanRanksLast() {
    let values: [Float] = [.nan, 1, -.infinity, .nan, .infinity, 2]
    #expect(values.top(k: 6).map(\.index) == [4, 5, 1, 2, 0, 3])
    #expect([Float.nan].top(k: 1).first?.probability.isNaN == true)
  }

  @Test func anyResultCount() {
    let values: [Float] = [3, 1, 2]
    #expect(values.top(k: 0).isEmpty)
    #expect(values.top(k: -1).isEmpty)
    #expect(values.top(k: .min).isEmpty)
    #expect(values.top(k: 4).map(\.index) == [0, 2, 1])
    #expect(values.top(k: .max).count == 3)
    #expect([Float]().top(k: 5).isEmpty)
  }

  @Test func labels() {
    let values: [Float] = [0.25, 0.5, 0.125]
    let top = values.top(k: 3, labels: ["cat", "dog"])
    #expect(top.map(\.label) == ["dog", "cat", nil])
    #expect(top.map(\.description) == ["dog: 0.5", "cat: 0.25", "2: 0.125"])
    #expect(values.top(k: 1, labels: ["a", "b", "c", "d"]).first?.label == "b")
  }

  @Test func rankedClassesAreEquatable() {
    let values: [Float] = [0.25, 0.5]
    #expect(values.top(k: 2) == values.top(k: 2))
    #expect(Set(values.top(k: 2) + values.top(k: 1)).count == 2)
    #expect(values.top(k: 2) != values.top(k: 2, labels: ["a"]))
  }
}
