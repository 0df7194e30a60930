/// A type of layer of Core ML's neural networks: the field that holds its parameters, and the first
/// version of the specification that has it.
struct CoreMLKind {
  let name: String
  let field: Int
  let version: Int

  init(_ name: String, _ field: Int, version: Int = 4) {
    (self.name, self.field, self.version) = (name, field, version)
  }

  // Images.
  static let convolution = CoreMLKind("convolution", 100)
  static let pooling = CoreMLKind("pooling", 120)
  static let batchNorm = CoreMLKind("batchnorm", 160)
  static let crop = CoreMLKind("crop", 190)
  static let padding = CoreMLKind("padding", 200)
  static let upsample = CoreMLKind("upsample", 210)
  static let upsampleLinear = CoreMLKind("upsample", 210, version: 5)
  static let resizeBilinear = CoreMLKind("resizeBilinear", 211)
  static let scale = CoreMLKind("scale", 245)
  static let reorganizeData = CoreMLKind("reorganizeData", 345)

  // Products, tables and cells.
  static let innerProduct = CoreMLKind("innerProduct", 140)
  static let batchedProduct = CoreMLKind("batchedMatmul", 1045)
  static let embedding = CoreMLKind("embeddingND", 1040)
  static let simpleRecurrent = CoreMLKind("simpleRecurrent", 400)
  static let gru = CoreMLKind("gru", 410)
  static let lstm = CoreMLKind("uniDirectionalLSTM", 420)
  static let layerNormalization = CoreMLKind("layerNormalization", 1350)
  static let softmax = CoreMLKind("softmaxND", 950)

  // Functions of one tensor.
  static let activation = CoreMLKind("activation", 130)
  static let unary = CoreMLKind("unary", 220)
  static let addNumber = CoreMLKind("add", 230)
  static let multiplyNumber = CoreMLKind("multiply", 231)
  static let clip = CoreMLKind("clip", 660)
  static let ceil = CoreMLKind("ceil", 665)
  static let floor = CoreMLKind("floor", 670)
  static let sign = CoreMLKind("sign", 680)
  static let round = CoreMLKind("round", 685)
  static let sin = CoreMLKind("sin", 710)
  static let cos = CoreMLKind("cos", 715)
  static let tan = CoreMLKind("tan", 720)
  static let asin = CoreMLKind("asin", 730)
  static let acos = CoreMLKind("acos", 735)
  static let atan = CoreMLKind("atan", 740)
  static let sinh = CoreMLKind("sinh", 750)
  static let cosh = CoreMLKind("cosh", 755)
  static let tanh = CoreMLKind("tanh", 760)
  static let asinh = CoreMLKind("asinh", 770)
  static let acosh = CoreMLKind("acosh", 775)
  static let atanh = CoreMLKind("atanh", 780)
  static let erf = CoreMLKind("erf", 790)
  static let gelu = CoreMLKind("gelu", 795)
  static let copy = CoreMLKind("copy", 600)

  // Functions of two tensors or three.
  static let equal = CoreMLKind("equal", 815)
  static let notEqual = CoreMLKind("notEqual", 820)
  static let less = CoreMLKind("lessThan", 825)
  static let lessOrEqual = CoreMLKind("lessEqual", 827)
  static let greater = CoreMLKind("greaterThan", 830)
  static let greaterOrEqual = CoreMLKind("greaterEqual", 832)
  static let or = CoreMLKind("logicalOr", 840)
  static let xor = CoreMLKind("logicalXor", 845)
  static let and = CoreMLKind("logicalAnd", 855)
  static let modulo = CoreMLKind("modBroadcastable", 865)
  static let minimum = CoreMLKind("minBroadcastable", 870)
  static let maximum = CoreMLKind("maxBroadcastable", 875)
  static let add = CoreMLKind("addBroadcastable", 880)
  static let power = CoreMLKind("powBroadcastable", 885)
  static let divide = CoreMLKind("divideBroadcastable", 890)
  static let multiply = CoreMLKind("multiplyBroadcastable", 900)
  static let subtract = CoreMLKind("subtractBroadcastable", 905)
  static let select = CoreMLKind("whereBroadcastable", 1330)

  // Movements.
  static let stack = CoreMLKind("stack", 925)
  static let gather = CoreMLKind("gather", 930)
  static let gatherAlongAxis = CoreMLKind("gatherAlongAxis", 952)
  static let scatterAlongAxis = CoreMLKind("scatterAlongAxis", 954)
  static let reverse = CoreMLKind("reverse", 960)
  static let split = CoreMLKind("splitND", 975)
  static let concatenate = CoreMLKind("concatND", 980)
  static let transpose = CoreMLKind("transpose", 985)
  static let slice = CoreMLKind("sliceStatic", 995)
  static let constant = CoreMLKind("loadConstantND", 1070)
  static let broadcast = CoreMLKind("broadcastToStatic", 1105)
  static let reshape = CoreMLKind("reshapeStatic", 1140)
  static let constantPad = CoreMLKind("constantPad", 1155)

  // Reductions and selections.
  static let topK = CoreMLKind("topK", 1015)
  static let argMin = CoreMLKind("argMin", 1020)
  static let argMax = CoreMLKind("argMax", 1025)
  static let reduceL1 = CoreMLKind("reduceL1", 1250)
  static let reduceL2 = CoreMLKind("reduceL2", 1255)
  static let reduceMax = CoreMLKind("reduceMax", 1260)
  static let reduceMin = CoreMLKind("reduceMin", 1265)
  static let reduceSum = CoreMLKind("reduceSum", 1270)
  static let reduceProd = CoreMLKind("reduceProd", 1275)
  static let reduceMean = CoreMLKind("reduceMean", 1280)
  static let reduceLogSum = CoreMLKind("reduceLogSum", 1285)
  static let reduceSumSquare = CoreMLKind("reduceSumSquare", 1290)
  static let reduceLogSumExp = CoreMLKind("reduceLogSumExp", 1295)
  static let cumulativeSum = CoreMLKind("cumSum", 1455, version: 5)
}
