import ForgeShapes
import Testing

@Suite struct LengthSizeTests {
  private func polynomial(_ coefficients: Int...) throws -> LengthSize {
    var (result, power) = (LengthSize(0), LengthSize(1))
    for coefficient in coefficients {
      let term = try #require(power.multiplied(by: LengthSize(coefficient)))
      result = try #require(result.adding(term))
      power = try #require(power.multiplied(by: .length))
    }
    return result
  }

  @Test func arithmeticIsThatOfTheValues() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let (a, b) = (
        try polynomial(.random(in: -9...9, using: &random), .random(in: -9...9, using: &random)),
        try polynomial(
          .random(in: -9...9, using: &random), .random(in: -9...9, using: &random),
          .random(in: -9...9, using: &random))
      )
      let (sum, product) = (try #require(a.adding(b)), try #require(a.multiplied(by: b)))
      for length in [1, 2, 7, 512] {
        let (x, y) = (try #require(a[length]), try #require(b[length]))
        #expect(sum[length] == x + y)
        #expect(product[length] == x * y)
      }
      if a != LengthSize(0) { #expect(product.dividedExactly(by: a) == b) }
    }
  }

  @Test func divisionsWithARestAreThoseOfTheValues() throws {
    var divided = 0
    for constant in -30...30 {
      for slope in 0...12 {
        for divisor in 1...5 {
          let number = LengthSize(constant, times: slope)
          let values = (1...20).map { constant + slope * $0 }
          let division = number.divided(by: LengthSize(divisor), upTo: 20)
          guard values.allSatisfy({ $0 >= 0 }), slope.isMultiple(of: divisor) else {
            #expect(division == nil)
            continue
          }
          let (quotient, rest) = try #require(division)
          for (index, value) in values.enumerated() {
            #expect(quotient[index + 1] == value / divisor)
            #expect(rest == value % divisor)
          }
          divided += 1
        }
      }
    }
    #expect(divided > 1000)
    #expect(LengthSize.length.divided(by: LengthSize(0), upTo: 9) == nil)
    #expect(LengthSize.length.divided(by: .length, upTo: 9) == nil)
    #expect(LengthSize.length.divided(by: LengthSize(-1), upTo: 9) == nil)
    #expect(try polynomial(0, 2, 2).divided(by: LengthSize(2), upTo: 9) == nil)
  }

  @Test func progressionsAreThoseOfSwiftsStride() throws {
    for (first, last, step) in [(1, 9, 1), (5, 5, 3), (400, 2_000, 320), (2, 17, 4)] {
      let sizes = try #require(SizeProgression(from: first, through: last, by: step))
      let expected = Array(stride(from: first, through: last, by: step))
      #expect(sizes.count == expected.count && sizes.last == expected.last)
      #expect((1...sizes.count).map { sizes[$0] } == expected)
      #expect((1...sizes.count).map { sizes.polynomial[$0] } == expected)
      for size in 0...2_100 {
        #expect(sizes.place(of: size) == expected.firstIndex(of: size).map { $0 + 1 })
      }
      #expect(sizes.place(of: .min) == nil && sizes.place(of: .max) == nil)
    }
    #expect(SizeProgression(from: 1, through: 20, by: 4)?.text == "from 1 to 17 in steps of 4")
  }

  @Test func divisionsThatLeaveARestAreRefused() throws {
    #expect(LengthSize.length.dividedExactly(by: LengthSize(2)) == nil)
    #expect(LengthSize.length.dividedExactly(by: LengthSize(0)) == nil)
    #expect(LengthSize(5).dividedExactly(by: .length) == nil)
    #expect(try polynomial(1, 1).dividedExactly(by: .length) == nil)
    #expect(try polynomial(0, 6).dividedExactly(by: LengthSize(3)) == polynomial(0, 2))
    #expect(LengthSize(0).dividedExactly(by: .length) == LengthSize(0))
    #expect(LengthSize(.min).dividedExactly(by: LengthSize(-1)) == nil)
  }

  @Test func signsAreThoseOfAllLengths() throws {
    #expect(LengthSize.length.sign(upTo: 40) == 1)
    #expect(try polynomial(-1, 1).sign(upTo: 40) == nil)
    #expect(try polynomial(-41, 1).sign(upTo: 40) == -1)
    #expect(LengthSize(0).sign(upTo: 40) == 0)
    // Positive at both ends, and not between them.
    #expect(try polynomial(100, -40, 1).sign(upTo: 40) == nil)
  }

  @Test func valuesDetermineAPolynomial() throws {
    func through(_ rule: (Int) -> Int) -> LengthSize? {
      LengthSize(through: [40, 39, 38, 20, 13, 3, 2, 1].map { ($0, rule($0)) })
    }
    #expect(through { $0 * $0 + 3 } == (try polynomial(3, 0, 1)))
    #expect(through { 7 * $0 } == (try polynomial(0, 7)))
    #expect(through { _ in 5 } == LengthSize(5))
    #expect(through { ($0 + 1) / 2 } == nil)
    #expect(through { min($0, 100) } == .length)
    #expect(through { min($0, 39) } == nil)
    #expect(through { max($0, 4) } == nil)
    #expect(through { $0 * ($0 + 1) / 2 } == nil)
    #expect(through { _ in .max } == nil)
  }

  @Test func overflowsGiveNothing() {
    #expect(LengthSize(.max).adding(LengthSize(1)) == nil)
    #expect(LengthSize(.max).multiplied(by: LengthSize(2)) == nil)
    #expect(LengthSize(.max).multiplied(by: .length)?[2] == nil)
    var power = LengthSize.length
    for _ in 0..<3 { power = power.multiplied(by: .length) ?? power }
    #expect(power.multiplied(by: .length) == nil)
    #expect(power[10] == 10_000)
  }
}
