import ForgeServing
import Testing

@Suite struct RequestEndTests {
  /// Sleeps until it is canceled, and says whether the time of the request is over.
  private func wait(_ end: RequestEnd, until time: Duration?) async -> Bool {
    await end.run {
      if let time { RequestEnd.current?.expire(at: .now + time) }
      try? await Task.sleep(for: .seconds(600))
      return RequestEnd.current?.isOver ?? false
    }
  }

  @Test func timesThatAreOver() async {
    let start = ContinuousClock.now
    #expect(await wait(RequestEnd(), until: .milliseconds(50)))
    #expect(await wait(RequestEnd(), until: .zero))
    #expect(await wait(RequestEnd(), until: .seconds(-1)))
    #expect(ContinuousClock.now - start > .milliseconds(50))
    #expect(ContinuousClock.now - start < .seconds(300))
  }

  /// Requests end in the order of their times, whichever began first.
  @Test func manyTimes() async {
    var order: [Int] = []
    await withTaskGroup(of: Int.self) { group in
      for index in [3, 1, 4, 0, 2] {
        group.addTask {
          let isOver = await wait(RequestEnd(), until: .milliseconds(300 * (index + 1)))
          return isOver ? index : -1
        }
      }
      for await index in group { order.append(index) }
    }
    #expect(order == [0, 1, 2, 3, 4])
  }

  @Test func clientsThatGo() async {
    let before = RequestEnd()
    before.cancel()
    #expect(!(await wait(before, until: nil)))
    let later = RequestEnd()
    async let answer = wait(later, until: .seconds(600))
    later.cancel()
    #expect(!(await answer))
  }

  /// A request that was answered has no end.
  @Test func answers() async throws {
    let end = RequestEnd()
    let answer = await end.run {
      RequestEnd.current?.expire(at: .now + .milliseconds(20))
      return 7
    }
    #expect(answer == 7)
    try await Task.sleep(for: .milliseconds(200))
    #expect(!end.isOver)
    #expect(RequestEnd.current == nil)
  }
}
