import CForgePixels

/// Turns a request into the arguments of the C module and its tables.
struct PlanBuilder {
  private typealias Place = PlanTables.Place

  /// The places of an axis's tables.
  private struct AxisPlaces {
    var firsts: Place?
    var counts: Place?
    var weights: Place?
    var shares: Place?
  }

  let request: PixelRequest
  var tables = PlanTables()
  private(set) var outputBytes = 0
  private var columns = AxisPlaces()
  private var rows = AxisPlaces()
  private var picked: Place?
  private var seconds: Place?
  private var floats: Place?
  private var bytes: Place?
  private var mean: Place?

  init(_ request: PixelRequest) { self.request = request }

  /// Computes everything except for the addresses.
  mutating func build() -> forge_preparation {
    var p = forge_preparation()
    p.level = request.level
    p.source.width = Int64(request.source.width)
    p.source.height = Int64(request.source.height)
    p.source.kind = request.source.kind
    p.source.sample = request.source.samples.number
    p.source.matrix = request.source.colors.fixedPoint
    p.working = request.isGray ? 1 : 4
    p.alpha = Int32(
      (request.source.hasAlpha ? request.alpha : FORGE_ALPHA_IGNORED).rawValue)
    setSamples(&p)
    setAxes(&p)
    setOutput(&p)
    return p
  }

  // MARK: Samples

  private var isFloat: Bool {
    if request.source.samples != .uint8 { return true }
    if case .pixels(_, let samples, _) = request.target, samples != .uint8 { return true }
    return request.filter == .area
  }

  private func setSamples(_ p: inout forge_preparation) {
    let samples = request.source.samples
    p.floats = isFloat ? 1 : 0
    switch request.target {
    case .pixels(_, let target, _): p.rounds = isFloat && target == .uint8 ? 1 : 0
    case .values: p.rounds = isFloat && samples == .uint8 ? 1 : 0
    }
    let unit = samples.white / 255
    func working(_ color: PixelColor) -> (Float, Float, Float, Float) {
      let levels = [color.red, color.green, color.blue].map { Float(Double($0) * unit) }
      return (levels[0], levels[1], levels[2], Float(samples.white))
    }
    p.background = working(request.background)
    p.output.border = working(request.border)
    if request.isGray {
      let color = request.border
      let gray = forgeLuminance(color)
      p.output.border.0 = Float(Double(gray) * unit)
    }
  }

  // MARK: Axes

  private mutating func setAxes(_ p: inout forge_preparation) {
    p.columns.outputs = Int64(request.columns.count)
    p.rows.outputs = Int64(request.rows.count)
    p.from = 0
    p.to = Int64(request.source.width)
    switch request.filter {
    case nil:
      p.resampling = Int32(FORGE_RESAMPLE_NONE.rawValue)
      setPicked(&p, from: Int(request.columns.low), count: request.columns.count)
      p.top = Int64(request.rows.low)
    case .nearest:
      p.resampling = Int32(FORGE_RESAMPLE_NEAREST.rawValue)
      let places = SamplingAxis.nearest(request.columns).firsts
      p.picked_count = Int64(places.count)
      picked = tables.add(places)
      rows.firsts = tables.add(SamplingAxis.nearest(request.rows).firsts)
    case .bilinearAliased where !isFloat: setPairs(&p)
    case .bilinearAliased: setFilter(&p, .bilinearAliased)
    case .some(let filter): setFilter(&p, filter)
    }
  }

  /// Frames are unpacked from an even column; others are not worth picking.
  private mutating func setPicked(_ p: inout forge_preparation, from: Int, count: Int) {
    if request.source.isFrame, from % 2 != 0 {
      p.picked_count = Int64(count)
      picked = tables.add((from..<from + count).map { Int32($0) })
    } else {
      p.from = Int64(from)
      p.to = Int64(from + count)
    }
  }

  private mutating func setPairs(_ p: inout forge_preparation) {
    p.resampling = Int32(FORGE_RESAMPLE_PAIRS.rawValue)
    let across = SamplingAxis.pairs(request.columns, areColumns: true)
    let down = SamplingAxis.pairs(request.rows, areColumns: false)
    let pairs = zip(across.firsts, across.seconds).flatMap { [$0, $1] }
    p.picked_count = Int64(pairs.count)
    picked = tables.add(pairs)
    seconds = tables.add(down.seconds)
    columns = add(across, to: &p.columns)
    rows = add(down, to: &p.rows)
  }

  private mutating func setFilter(_ p: inout forge_preparation, _ filter: ResamplingFilter) {
    p.resampling = Int32(
      (isFloat ? FORGE_RESAMPLE_FLOATS : FORGE_RESAMPLE_BYTES).rawValue)
    func axis(_ part: AxisPart) -> SamplingAxis {
      if part.isUnchanged { return .unchanged() }
      return filter == .bilinearAliased
        ? .linear(part) : .filtered(part, filter, asFloats: isFloat)
    }
    var across = axis(request.columns)
    let down = axis(request.rows)
    if across.stride > 0 {
      var range = across.range
      if request.source.isFrame { range = range.lowerBound / 2 * 2..<range.upperBound }
      across.rebase(to: range.lowerBound)
      (p.from, p.to) = (Int64(range.lowerBound), Int64(range.upperBound))
    }
    // Columns are resampled first if that loses many more rows than resampling rows loses columns.
    // This is the rule of Pillow 13; it uses the size of the picture, not of the rectangle.
    let lostRows = request.source.height - request.wholeHeight
    let lostColumns = request.source.width - request.wholeWidth
    let isOrdered = across.stride > 0 && down.stride > 0
    p.rows_first = isOrdered && lostRows > 0 && lostRows > 2 * lostColumns ? 1 : 0
    columns = add(across, to: &p.columns)
    rows = add(down, to: &p.rows)
  }

  private mutating func add(_ axis: SamplingAxis, to c: inout forge_axis) -> AxisPlaces {
    c.stride = Int64(axis.stride)
    return AxisPlaces(
      firsts: tables.add(axis.firsts), counts: tables.add(axis.counts),
      weights: tables.add(axis.weights), shares: tables.add(axis.shares))
  }

  // MARK: The output

  private mutating func setOutput(_ p: inout forge_preparation) {
    p.output.width = Int64(request.width)
    p.output.height = Int64(request.height)
    p.output.left = Int64(request.left)
    p.output.top = Int64(request.top)
    p.output.scale = (1, 1, 1, 1)
    switch request.target {
    case .pixels(let format, let samples, let rowBytes):
      p.output.writing = Int32(FORGE_WRITE_PIXELS.rawValue)
      p.output.kind = format.kind
      p.output.sample = samples.number
      p.output.row_stride = Int64(rowBytes)
      p.output.scale.0 = samples.white / request.source.samples.white
      (p.output.low, p.output.high) = (0, Float(samples.white))
      let row = request.width * format.channels * samples.byteCount
      outputBytes = (request.height - 1).multipliedSaturated(by: rowBytes).addingSaturated(row)
    case .values(let values):
      setValues(values, &p)
      if let kind = pixelKind(values) {
        p.output.writing = Int32(FORGE_WRITE_PIXELS.rawValue)
        p.output.kind = kind
        p.output.sample = SampleType.uint8.number
        p.output.scale.0 = 255 / request.source.samples.white
        (p.output.low, p.output.high) = (0, 255)
      }
    }
  }

  /// The pixels that are these values, if bytes are written as they are.
  private func pixelKind(_ values: PixelValues) -> Int32? {
    guard values.element == .uint8, request.source.samples == .uint8, !values.isChannelsFirst,
      values.scale.allSatisfy({ $0 == 1 }), values.bias.allSatisfy({ $0 == 0 })
    else { return nil }
    switch values.lanes {
    case [0]: return PixelFormat.gray.kind
    case [0, 1, 2]: return PixelFormat.rgb.kind
    case [2, 1, 0]: return PixelFormat.bgr.kind
    default: return nil
    }
  }

  private mutating func setValues(_ values: PixelValues, _ p: inout forge_preparation) {
    let (width, height, channels) = (request.width, request.height, values.channels)
    let size = values.element == .float32 ? MemoryLayout<Float>.stride : 1
    let writing =
      switch values.element {
      case .float32: FORGE_WRITE_FLOATS
      case .uint8: FORGE_WRITE_U8
      case .int8: FORGE_WRITE_I8
      }
    p.output.writing = Int32(writing.rawValue)
    p.output.channels = Int32(channels)
    p.output.pixel_step = values.isChannelsFirst ? 1 : Int64(channels)
    p.output.channel_step = values.isChannelsFirst ? Int64(width * height) : 1
    p.output.row_stride = Int64(size * width * (values.isChannelsFirst ? 1 : channels))
    outputBytes = size * width * height * channels
    let unit = 255 / request.source.samples.white
    withUnsafeMutableBytes(of: &p.output.lanes) { lanes in
      let lanes = lanes.assumingMemoryBound(to: Int32.self)
      for (index, lane) in values.lanes.prefix(4).enumerated() {
        lanes[index] = request.isGray ? 0 : lane
      }
    }
    withUnsafeMutableBytes(of: &p.output.scale) { factors in
      let factors = factors.assumingMemoryBound(to: Double.self)
      for (index, factor) in values.scale.prefix(4).enumerated() { factors[index] = factor * unit }
    }
    withUnsafeMutableBytes(of: &p.output.bias) { summands in
      let summands = summands.assumingMemoryBound(to: Double.self)
      for (index, summand) in values.bias.prefix(4).enumerated() { summands[index] = summand }
    }
    let all = zip(values.scale, values.bias).flatMap { scale, bias in
      (0..<256).map { Double($0) * scale + bias }
    }
    switch values.element {
    case .float32: floats = tables.add(all.map { Float($0) })
    case .uint8: bytes = tables.add(all.map { UInt8(clamped: $0) })
    case .int8: bytes = tables.add(all.map { UInt8(bitPattern: Int8(clamped: $0)) })
    }
    mean = values.mean.flatMap { tables.add($0) }
  }

  // MARK: Addresses

  /// Sets the addresses of the tables, which were copied to `base`.
  func bind(_ p: inout forge_preparation, _ base: UnsafeMutableRawPointer) {
    func table<Element>(_ place: Place?, _ type: Element.Type) -> UnsafePointer<Element>? {
      place.map { UnsafePointer((base + $0.offset).assumingMemoryBound(to: type)) }
    }
    func bind(_ axis: inout forge_axis, _ places: AxisPlaces) {
      axis.first = table(places.firsts, Int32.self)
      axis.count = table(places.counts, Int32.self)
      axis.weights = table(places.weights, Int32.self)
      axis.shares = table(places.shares, Float.self)
    }
    bind(&p.columns, columns)
    bind(&p.rows, rows)
    p.picked = table(picked, Int32.self)
    p.second = table(seconds, Int32.self)
    p.output.tables = table(floats, Float.self)
    p.output.bytes = table(bytes, UInt8.self)
    p.output.mean = table(mean, Float.self)
  }
}

/// Gray, as Pillow's `L`.
func forgeLuminance(_ color: PixelColor) -> Int {
  (19595 * Int(color.red) + 38470 * Int(color.green) + 7471 * Int(color.blue) + 0x8000) >> 16
}

extension FixedWidthInteger {
  /// The nearest number, ties to even; 0 for NaN.
  fileprivate init(clamped value: Double) {
    guard !value.isNaN else {
      self = 0
      return
    }
    self = Self(
      Swift.min(Swift.max(value.rounded(.toNearestOrEven), Double(Self.min)), Double(Self.max)))
  }
}
