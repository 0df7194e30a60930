// Written by Scripts/layer-calls --update; do not edit.
// swift-format-ignore-file

#if Macros
  import ForgeLayers
  import ForgeOperations
  import ForgeShapes

  /// Adds every initializer of Forge's layers, one statement each, which Swift type-checks fast.
  func addLayerCalls(to table: inout LayerTable) {
    table.add("Activation", [.required("_"), .optional("name")]) { c, p in Activation(try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ReLU", [.optional("name")]) { c, p in ReLU(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ReLU6", [.optional("name")]) { c, p in ReLU6(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ClippedReLU", [.optional("minimum"), .required("maximum"), .optional("name")]) { c, p in ClippedReLU(minimum: try c(0, 0), maximum: try c(1), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LeakyReLU", [.required("_"), .optional("name")]) { c, p in LeakyReLU(try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ELU", [.optional("alpha"), .optional("name")]) { c, p in ELU(alpha: try c(0, 1), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SELU", [.optional("name")]) { c, p in SELU(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Sigmoid", [.optional("name")]) { c, p in Sigmoid(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Tanh", [.optional("name")]) { c, p in Tanh(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("HardSigmoid", [.optional("name")]) { c, p in HardSigmoid(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("HardSigmoidKeras2", [.optional("name")]) { c, p in HardSigmoidKeras2(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("HardSigmoidLinear", [.required("alpha"), .required("beta"), .optional("name")]) { c, p in HardSigmoidLinear(alpha: try c(0), beta: try c(1), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("HardSwish", [.optional("name")]) { c, p in HardSwish(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Swish", [.optional("name")]) { c, p in Swish(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SiLU", [.optional("name")]) { c, p in SiLU(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Mish", [.optional("name")]) { c, p in Mish(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GELU", [.optional("name")]) { c, p in GELU(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GELUTanh", [.optional("name")]) { c, p in GELUTanh(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Softplus", [.optional("name")]) { c, p in Softplus(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AdaptiveAveragePooling", [.required("width"), .required("height"), .optional("name")]) { c, p in AdaptiveAveragePooling(width: try c(0), height: try c(1), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Add", [.optional("constant"), .optional("name")]) { c, p in Add(constant: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ArgMax", [.required("axis"), .optional("keepsDimensions"), .optional("selectsLast"), .optional("name")]) { c, p in ArgMax(axis: try c(0), keepsDimensions: try c(1, false), selectsLast: try c(2, false), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ArgMin", [.required("axis"), .optional("keepsDimensions"), .optional("selectsLast"), .optional("name")]) { c, p in ArgMin(axis: try c(0), keepsDimensions: try c(1, false), selectsLast: try c(2, false), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Average", [.optional("name")]) { c, p in Average(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling", [.required("kernel"), .optional("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling(kernel: try c(0), stride: try c(1, nil), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c.pair(4, (1, 1)), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling", [.required("kernel"), .required("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling(kernel: try c(0), stride: try c.pair(1), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c.pair(4, (1, 1)), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling", [.required("_"), .optional("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling(try c(0), stride: try c(1, nil), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c.pair(4, (1, 1)), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling", [.required("_"), .required("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling(try c(0), stride: try c.pair(1), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c.pair(4, (1, 1)), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling", [.required("kernel"), .required("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling(kernel: try c.pair(0), stride: try c(1), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c.pair(4, (1, 1)), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling", [.required("kernel"), .optional("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling(kernel: try c.pair(0), stride: try c.optionalPair(1), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c.pair(4, (1, 1)), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("AveragePooling1D", [.required("kernel"), .optional("stride"), .optional("padding"), .optional("border"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in AveragePooling1D(kernel: try c(0), stride: try c(1, nil), padding: try c(2, .valid), border: try c(3, .excluded), dilation: try c(4, 1), rounding: try c(5, .floor), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("BatchNormalization", [.optional("epsilon"), .optional("center"), .optional("scale"), .optional("name")]) { c, p in BatchNormalization(epsilon: try c(0, 0.001), center: try c(1, true), scale: try c(2, true), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Bidirectional", [.required("_"), .optional("merge"), .optional("name")]) { c, p in Bidirectional(try c.step(0, as: (any RecurrentLayer).self), merge: try c(1, .concatenate), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ChannelShuffle", [.required("groups"), .optional("name")]) { c, p in ChannelShuffle(groups: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Compare", [.required("_"), .optional("than"), .optional("name")]) { c, p in Compare(try c(0), than: try c(1, nil), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Concatenate", [.optional("axis"), .optional("name")]) { c, p in Concatenate(axis: try c(0, -1), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Constant", [.required("_"), .required("shape"), .optional("name")]) { c, p in Constant(try c(0), shape: try c(1), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c(3), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c(0), channels: try c(1), stride: try c(2), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .required("stride"), .required("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c(0), channels: try c(1), stride: try c(2), dilation: try c(3), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c.pair(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c(3), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c.pair(0), channels: try c(1), stride: try c(2), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .required("stride"), .required("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c.pair(0), channels: try c(1), stride: try c(2), dilation: try c(3), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution", [.required("kernel"), .required("channels"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution(kernel: try c.pair(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Convolution1D", [.required("kernel"), .required("channels"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Convolution1D(kernel: try c(0), channels: try c(1), stride: try c(2, 1), dilation: try c(3, 1), padding: try c(4, .same), groups: try c(5, 1), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Crop", [.optional("top"), .optional("left"), .optional("bottom"), .optional("right"), .optional("name")]) { c, p in Crop(top: try c(0, 0), left: try c(1, 0), bottom: try c(2, 0), right: try c(3, 0), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Crop", [.required("_"), .optional("name")]) { c, p in Crop(try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("CumulativeSum", [.required("axis"), .optional("exclusive"), .optional("reversed"), .optional("name")]) { c, p in CumulativeSum(axis: try c(0), exclusive: try c(1, false), reversed: try c(2, false), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Dense", [.required("neurons"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in Dense(neurons: try c(0), activation: try c(1, .linear), useBias: try c(2, true), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthToSpace", [.required("block"), .optional("order"), .optional("name")]) { c, p in DepthToSpace(block: try c(0), order: try c(1, .depthColumnRow), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c(0), stride: try c.pair(1, (1, 1)), dilation: try c.pair(2, (1, 1)), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c(0), stride: try c.pair(1, (1, 1)), dilation: try c(2), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c(0), stride: try c(1), dilation: try c.pair(2, (1, 1)), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .required("stride"), .required("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c(0), stride: try c(1), dilation: try c(2), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c.pair(0), stride: try c.pair(1, (1, 1)), dilation: try c(2), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c.pair(0), stride: try c(1), dilation: try c.pair(2, (1, 1)), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .required("stride"), .required("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c.pair(0), stride: try c(1), dilation: try c(2), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution", [.required("kernel"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution(kernel: try c.pair(0), stride: try c.pair(1, (1, 1)), dilation: try c.pair(2, (1, 1)), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("DepthwiseConvolution1D", [.required("kernel"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("multiplier"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in DepthwiseConvolution1D(kernel: try c(0), stride: try c(1, 1), dilation: try c(2, 1), padding: try c(3, .same), multiplier: try c(4, 1), activation: try c(5, .linear), useBias: try c(6, true), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Divide", [.optional("by"), .optional("name")]) { c, p in Divide(by: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Dropout", [.required("rate"), .optional("name")]) { c, p in Dropout(rate: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Embedding", [.required("vocabulary"), .required("channels"), .optional("name")]) { c, p in Embedding(vocabulary: try c(0), channels: try c(1), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Expand", [.required("to"), .optional("name")]) { c, p in Expand(to: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ExpandDims", [.required("axes"), .optional("name")]) { c, p in ExpandDims(axes: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Flatten", [.optional("name")]) { c, p in Flatten(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GRU", [.required("units"), .optional("returnSequences"), .optional("activation"), .optional("recurrentActivation"), .optional("useBias"), .optional("resetAfter"), .optional("isReversed"), .optional("stateful"), .optional("masked"), .optional("form"), .optional("name")]) { c, p in GRU(units: try c(0), returnSequences: try c(1, false), activation: try c(2, .tanh), recurrentActivation: try c(3, .sigmoid), useBias: try c(4, true), resetAfter: try c(5, true), isReversed: try c(6, false), stateful: try c(7, false), masked: try c(8, false), form: try c(9, .keras), name: try c(10, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Gather", [.required("indices"), .required("axis"), .optional("name")]) { c, p in Gather(indices: try c(0), axis: try c(1), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GatherElements", [.required("axis"), .optional("name")]) { c, p in GatherElements(axis: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GatherRows", [.optional("axis"), .optional("name")]) { c, p in GatherRows(axis: try c(0, 0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GlobalAveragePooling", [.optional("name")]) { c, p in GlobalAveragePooling(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GlobalAveragePooling1D", [.optional("name")]) { c, p in GlobalAveragePooling1D(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GlobalMaxPooling", [.optional("name")]) { c, p in GlobalMaxPooling(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GlobalMaxPooling1D", [.optional("name")]) { c, p in GlobalMaxPooling1D(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Grayscale", [.optional("name")]) { c, p in Grayscale(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("GroupNormalization", [.required("groups"), .optional("epsilon"), .optional("center"), .optional("scale"), .optional("name")]) { c, p in GroupNormalization(groups: try c(0), epsilon: try c(1, 1e-5), center: try c(2, true), scale: try c(3, true), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Identity", [.optional("name")]) { c, p in Identity(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("InstanceNormalization", [.optional("epsilon"), .optional("center"), .optional("scale"), .optional("name")]) { c, p in InstanceNormalization(epsilon: try c(0, 1e-5), center: try c(1, true), scale: try c(2, true), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("L2Normalize", [.optional("axes"), .optional("epsilon"), .optional("name")]) { c, p in L2Normalize(axes: try c(0, [-1]), epsilon: try c(1, 1e-12), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LSTM", [.required("units"), .optional("returnSequences"), .optional("activation"), .optional("recurrentActivation"), .optional("useBias"), .optional("peepholes"), .optional("projection"), .optional("isReversed"), .optional("stateful"), .optional("masked"), .optional("form"), .optional("name")]) { c, p in LSTM(units: try c(0), returnSequences: try c(1, false), activation: try c(2, .tanh), recurrentActivation: try c(3, .sigmoid), useBias: try c(4, true), peepholes: try c(5, false), projection: try c(6, nil), isReversed: try c(7, false), stateful: try c(8, false), masked: try c(9, false), form: try c(10, .keras), name: try c(11, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LastAxisDense", [.required("neurons"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in LastAxisDense(neurons: try c(0), activation: try c(1, .linear), useBias: try c(2, true), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LayerNormalization", [.optional("axes"), .optional("epsilon"), .optional("center"), .optional("scale"), .optional("name")]) { c, p in LayerNormalization(axes: try c(0, [-1]), epsilon: try c(1, 1e-5), center: try c(2, true), scale: try c(3, true), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LocalResponseNormalization", [.required("size"), .optional("alpha"), .optional("beta"), .optional("bias"), .optional("name")]) { c, p in LocalResponseNormalization(size: try c(0), alpha: try c(1, 0.0001), beta: try c(2, 0.75), bias: try c(3, 1), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LogSoftmax", [.optional("name")]) { c, p in LogSoftmax(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("LogSoftmax", [.required("axis"), .optional("name")]) { c, p in LogSoftmax(axis: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Logical", [.required("_"), .optional("with"), .optional("name")]) { c, p in Logical(try c(0), with: try c(1, nil), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MatMul", [.optional("transposeA"), .optional("transposeB"), .optional("name")]) { c, p in MatMul(transposeA: try c(0, false), transposeB: try c(1, false), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling", [.required("kernel"), .optional("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling(kernel: try c(0), stride: try c(1, nil), padding: try c(2, .valid), dilation: try c.pair(3, (1, 1)), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling", [.required("kernel"), .required("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling(kernel: try c(0), stride: try c.pair(1), padding: try c(2, .valid), dilation: try c.pair(3, (1, 1)), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling", [.required("_"), .optional("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling(try c(0), stride: try c(1, nil), padding: try c(2, .valid), dilation: try c.pair(3, (1, 1)), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling", [.required("_"), .required("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling(try c(0), stride: try c.pair(1), padding: try c(2, .valid), dilation: try c.pair(3, (1, 1)), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling", [.required("kernel"), .required("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling(kernel: try c.pair(0), stride: try c(1), padding: try c(2, .valid), dilation: try c.pair(3, (1, 1)), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling", [.required("kernel"), .optional("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling(kernel: try c.pair(0), stride: try c.optionalPair(1), padding: try c(2, .valid), dilation: try c.pair(3, (1, 1)), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MaxPooling1D", [.required("kernel"), .optional("stride"), .optional("padding"), .optional("dilation"), .optional("rounding"), .optional("name")]) { c, p in MaxPooling1D(kernel: try c(0), stride: try c(1, nil), padding: try c(2, .valid), dilation: try c(3, 1), rounding: try c(4, .floor), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Maximum", [.optional("constant"), .optional("name")]) { c, p in Maximum(constant: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Minimum", [.optional("constant"), .optional("name")]) { c, p in Minimum(constant: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("MultiHeadAttention", [.required("heads"), .required("keyChannels"), .optional("valueChannels"), .optional("keyValueHeads"), .optional("outputs"), .optional("scale"), .optional("isCausal"), .optional("mask"), .optional("rotary"), .optional("cacheLength"), .optional("useBias"), .optional("form"), .optional("name")]) { c, p in MultiHeadAttention(heads: try c(0), keyChannels: try c(1), valueChannels: try c(2, nil), keyValueHeads: try c(3, nil), outputs: try c(4, nil), scale: try c(5, nil), isCausal: try c(6, false), mask: try c(7, .none), rotary: try c(8, nil), cacheLength: try c(9, nil), useBias: try c(10, true), form: try c(11, .separate), name: try c(12, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Multiply", [.optional("constant"), .optional("name")]) { c, p in Multiply(constant: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("NonMaximumSuppression", [.required("maximumPerClass"), .required("iouThreshold"), .required("scoreThreshold"), .optional("centerPointBoxes"), .optional("name")]) { c, p in NonMaximumSuppression(maximumPerClass: try c(0), iouThreshold: try c(1), scoreThreshold: try c(2), centerPointBoxes: try c(3, false), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("PReLU", [.optional("shared"), .optional("name")]) { c, p in PReLU(shared: try c(0, [.time, .height, .width]), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Pad", [.required("before"), .required("after"), .optional("mode"), .optional("name")]) { c, p in Pad(before: try c(0), after: try c(1), mode: try c(2, .constant(0)), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Permute", [.required("order"), .optional("name")]) { c, p in Permute(order: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("PointwiseConvolution", [.required("channels"), .optional("stride"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in PointwiseConvolution(channels: try c(0), stride: try c.pair(1, (1, 1)), activation: try c(2, .linear), useBias: try c(3, true), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("PointwiseConvolution", [.required("channels"), .required("stride"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in PointwiseConvolution(channels: try c(0), stride: try c(1), activation: try c(2, .linear), useBias: try c(3, true), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("PoolingND", [.required("_"), .required("kernel"), .optional("strides"), .optional("dilations"), .optional("before"), .optional("after"), .optional("rounding"), .optional("name")]) { c, p in PoolingND(try c(0), kernel: try c(1), strides: try c(2, nil), dilations: try c(3, nil), before: try c(4, nil), after: try c(5, nil), rounding: try c(6, .floor), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("PositionalEncoding", [.optional("_"), .optional("streamLength"), .optional("name")]) { c, p in PositionalEncoding(try c(0, .sinusoidal(base: 10_000)), streamLength: try c(1, nil), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Power", [.optional("of"), .optional("name")]) { c, p in Power(of: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("RMSNormalization", [.optional("epsilon"), .optional("scale"), .optional("name")]) { c, p in RMSNormalization(epsilon: try c(0, 1e-6), scale: try c(1, true), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Reduce", [.required("_"), .optional("axes"), .optional("keepsDimensions"), .optional("name")]) { c, p in Reduce(try c(0), axes: try c(1, nil), keepsDimensions: try c(2, false), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Remainder", [.optional("_"), .optional("by"), .optional("name")]) { c, p in Remainder(try c(0, .ofDivisor), by: try c(1, nil), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Resample", [.required("sizes"), .optional("scales"), .optional("mode"), .optional("coordinates"), .optional("antialias"), .optional("excludesOutside"), .optional("name")]) { c, p in Resample(sizes: try c(0), scales: try c(1, []), mode: try c(2, .linear), coordinates: try c(3, .halfPixel), antialias: try c(4, false), excludesOutside: try c(5, false), name: try c(6, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Reshape", [.required("to"), .optional("name")]) { c, p in Reshape(to: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Reshape", [.required("width"), .required("height"), .required("channels"), .optional("name")]) { c, p in Reshape(width: try c(0), height: try c(1), channels: try c(2), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Resize", [.required("width"), .required("height"), .optional("mode"), .optional("name")]) { c, p in Resize(width: try c(0), height: try c(1), mode: try c(2, .bilinear), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Scale", [.optional("by"), .optional("bias"), .optional("name")]) { c, p in Scale(by: try c(0, [1]), bias: try c(1, [0]), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Scale", [.required("_"), .optional("bias"), .optional("name")]) { c, p in Scale(try c(0), bias: try c(1, 0), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ScaledDotProductAttention", [.optional("heads"), .optional("keyValueHeads"), .optional("scale"), .optional("isCausal"), .optional("cap"), .optional("mask"), .optional("cacheLength"), .optional("name")]) { c, p in ScaledDotProductAttention(heads: try c(0, 1), keyValueHeads: try c(1, nil), scale: try c(2, nil), isCausal: try c(3, false), cap: try c(4, nil), mask: try c(5, .none), cacheLength: try c(6, nil), name: try c(7, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ScatterElements", [.required("axis"), .optional("combination"), .optional("name")]) { c, p in ScatterElements(axis: try c(0), combination: try c(1, .replace), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ScatterRows", [.optional("axis"), .optional("combination"), .optional("name")]) { c, p in ScatterRows(axis: try c(0, 0), combination: try c(1, .replace), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c(0), channels: try c(1), multiplier: try c(2, 1), stride: try c.pair(3, (1, 1)), dilation: try c.pair(4, (1, 1)), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c(0), channels: try c(1), multiplier: try c(2, 1), stride: try c.pair(3, (1, 1)), dilation: try c(4), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c(0), channels: try c(1), multiplier: try c(2, 1), stride: try c(3), dilation: try c.pair(4, (1, 1)), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .required("stride"), .required("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c(0), channels: try c(1), multiplier: try c(2, 1), stride: try c(3), dilation: try c(4), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c.pair(0), channels: try c(1), multiplier: try c(2, 1), stride: try c.pair(3, (1, 1)), dilation: try c(4), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c.pair(0), channels: try c(1), multiplier: try c(2, 1), stride: try c(3), dilation: try c.pair(4, (1, 1)), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .required("stride"), .required("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c.pair(0), channels: try c(1), multiplier: try c(2, 1), stride: try c(3), dilation: try c(4), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution", [.required("kernel"), .required("channels"), .optional("multiplier"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution(kernel: try c.pair(0), channels: try c(1), multiplier: try c(2, 1), stride: try c.pair(3, (1, 1)), dilation: try c.pair(4, (1, 1)), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SeparableConvolution1D", [.required("kernel"), .required("channels"), .optional("multiplier"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in SeparableConvolution1D(kernel: try c(0), channels: try c(1), multiplier: try c(2, 1), stride: try c(3, 1), dilation: try c(4, 1), padding: try c(5, .same), activation: try c(6, .linear), useBias: try c(7, true), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SimpleRNN", [.required("units"), .optional("returnSequences"), .optional("activation"), .optional("useBias"), .optional("isReversed"), .optional("stateful"), .optional("masked"), .optional("form"), .optional("name")]) { c, p in SimpleRNN(units: try c(0), returnSequences: try c(1, false), activation: try c(2, .tanh), useBias: try c(3, true), isReversed: try c(4, false), stateful: try c(5, false), masked: try c(6, false), form: try c(7, .keras), name: try c(8, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Slice", [.required("starts"), .required("ends"), .optional("axes"), .optional("steps"), .optional("name")]) { c, p in Slice(starts: try c(0), ends: try c(1), axes: try c(2, nil), steps: try c(3, nil), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Softmax", [.optional("name")]) { c, p in Softmax(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Softmax", [.required("axis"), .optional("name")]) { c, p in Softmax(axis: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SpaceToDepth", [.required("block"), .optional("order"), .optional("name")]) { c, p in SpaceToDepth(block: try c(0), order: try c(1, .standard), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Squeeze", [.required("axes"), .optional("name")]) { c, p in Squeeze(axes: try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Subtract", [.optional("constant"), .optional("name")]) { c, p in Subtract(constant: try c(0, nil), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SubtractMeanColor", [.required("red"), .required("green"), .required("blue"), .optional("name")]) { c, p in SubtractMeanColor(red: try c(0), green: try c(1), blue: try c(2), name: try c(3, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("SwapRedBlue", [.optional("name")]) { c, p in SwapRedBlue(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Tile", [.required("_"), .optional("name")]) { c, p in Tile(try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TimeDistributed", [.required("_"), .optional("name")]) { c, p in TimeDistributed(try c.step(0, as: (any Layer).self), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TopK", [.required("count"), .optional("axis"), .optional("largest"), .optional("sorted"), .optional("output"), .optional("name")]) { c, p in TopK(count: try c(0), axis: try c(1, -1), largest: try c(2, true), sorted: try c(3, true), output: try c(4, .values), name: try c(5, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c(3), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c(0), channels: try c(1), stride: try c(2), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .required("stride"), .required("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c(0), channels: try c(1), stride: try c(2), dilation: try c(3), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .optional("stride"), .required("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c.pair(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c(3), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .required("stride"), .optional("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c.pair(0), channels: try c(1), stride: try c(2), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .required("stride"), .required("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c.pair(0), channels: try c(1), stride: try c(2), dilation: try c(3), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution", [.required("kernel"), .required("channels"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution(kernel: try c.pair(0), channels: try c(1), stride: try c.pair(2, (1, 1)), dilation: try c.pair(3, (1, 1)), padding: try c(4, .same), outputPadding: try c.pair(5, (0, 0)), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("TransposedConvolution1D", [.required("kernel"), .required("channels"), .optional("stride"), .optional("dilation"), .optional("padding"), .optional("outputPadding"), .optional("groups"), .optional("activation"), .optional("useBias"), .optional("name")]) { c, p in TransposedConvolution1D(kernel: try c(0), channels: try c(1), stride: try c(2, 1), dilation: try c(3, 1), padding: try c(4, .same), outputPadding: try c(5, 0), groups: try c(6, 1), activation: try c(7, .linear), useBias: try c(8, true), name: try c(9, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Unary", [.required("_"), .optional("name")]) { c, p in Unary(try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("UpSampling", [.optional("size"), .optional("mode"), .optional("name")]) { c, p in UpSampling(size: try c.pair(0, (2, 2)), mode: try c(1, .nearest), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("UpSampling", [.required("size"), .optional("mode"), .optional("name")]) { c, p in UpSampling(size: try c(0), mode: try c(1, .nearest), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("UpSampling", [.required("_"), .optional("mode"), .optional("name")]) { c, p in UpSampling(try c(0), mode: try c(1, .nearest), name: try c(2, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("Where", [.optional("name")]) { c, p in Where(name: try c(0, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ZeroPadding", [.optional("top"), .optional("left"), .optional("bottom"), .optional("right"), .optional("name")]) { c, p in ZeroPadding(top: try c(0, 0), left: try c(1, 0), bottom: try c(2, 0), right: try c(3, 0), name: try c(4, nil), fileID: p.fileID, line: p.line, column: p.column) }
    table.add("ZeroPadding", [.required("_"), .optional("name")]) { c, p in ZeroPadding(try c(0), name: try c(1, nil), fileID: p.fileID, line: p.line, column: p.column) }
  }

  extension ActivationFunction: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("linear") { _ in .linear }
      table.add("relu") { _ in .relu }
      table.add("relu6") { _ in .relu6 }
      table.add("clipped", [.required("minimum"), .required("maximum")]) { c in .clipped(minimum: try c(0), maximum: try c(1)) }
      table.add("leakyReLU", [.required("slope")]) { c in .leakyReLU(slope: try c(0)) }
      table.add("elu", [.required("alpha")]) { c in .elu(alpha: try c(0)) }
      table.add("selu") { _ in .selu }
      table.add("sigmoid") { _ in .sigmoid }
      table.add("tanh") { _ in .tanh }
      table.add("hardSigmoid") { _ in .hardSigmoid }
      table.add("hardSigmoidKeras2") { _ in .hardSigmoidKeras2 }
      table.add("hardSigmoidLinear", [.required("alpha"), .required("beta")]) { c in .hardSigmoidLinear(alpha: try c(0), beta: try c(1)) }
      table.add("hardSwish") { _ in .hardSwish }
      table.add("swish") { _ in .swish }
      table.add("mish") { _ in .mish }
      table.add("gelu") { _ in .gelu }
      table.add("geluTanh") { _ in .geluTanh }
      table.add("softplus") { _ in .softplus }
    }
  }

  extension Padding: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("same") { _ in .same }
      table.add("valid") { _ in .valid }
      table.add("edges", [.required("_")]) { c in .edges(try c(0)) }
      table.add("explicit", [.optional("top"), .optional("left"), .optional("bottom"), .optional("right")]) { c in .explicit(top: try c(0, 0), left: try c(1, 0), bottom: try c(2, 0), right: try c(3, 0)) }
      table.add("all", [.required("_")]) { c in .all(try c(0)) }
    }
  }

  extension AveragePooling.Border: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("excluded") { _ in .excluded }
      table.add("counted") { _ in .counted }
    }
  }

  extension WindowRounding: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("floor") { _ in .floor }
      table.add("ceiling") { _ in .ceiling }
    }
  }

  extension Padding1D: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("same") { _ in .same }
      table.add("valid") { _ in .valid }
      table.add("causal") { _ in .causal }
      table.add("streaming") { _ in .streaming }
      table.add("explicit", [.required("before"), .required("after")]) { c in .explicit(before: try c(0), after: try c(1)) }
    }
  }

  extension Bidirectional.Merge: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("concatenate") { _ in .concatenate }
      table.add("sum") { _ in .sum }
      table.add("multiply") { _ in .multiply }
      table.add("average") { _ in .average }
    }
  }

  extension Comparison: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("equal") { _ in .equal }
      table.add("notEqual") { _ in .notEqual }
      table.add("less") { _ in .less }
      table.add("lessOrEqual") { _ in .lessOrEqual }
      table.add("greater") { _ in .greater }
      table.add("greaterOrEqual") { _ in .greaterOrEqual }
    }
  }

  extension DepthToSpace.Order: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("depthColumnRow") { _ in .depthColumnRow }
      table.add("columnRowDepth") { _ in .columnRowDepth }
    }
  }

  extension RecurrentForm: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("keras") { _ in .keras }
      table.add("pytorch") { _ in .pytorch }
      table.add("onnx") { _ in .onnx }
    }
  }

  extension LogicalOperation: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("and") { _ in .and }
      table.add("or") { _ in .or }
      table.add("xor") { _ in .xor }
    }
  }

  extension AttentionRule.Mask: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("none") { _ in .none }
      table.add("added") { _ in .added }
      table.add("visible") { _ in .visible }
    }
  }

  extension RotaryEncoding: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("halves", [.optional("base"), .optional("channels")]) { c in .halves(base: try c(0, 10_000), channels: try c(1, nil)) }
      table.add("neighbors", [.optional("base"), .optional("channels")]) { c in .neighbors(base: try c(0, 10_000), channels: try c(1, nil)) }
    }
  }

  extension MultiHeadAttention.Form: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("separate") { _ in .separate }
      table.add("joined") { _ in .joined }
    }
  }

  extension Axis: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("batch") { _ in .batch }
      table.add("time") { _ in .time }
      table.add("height") { _ in .height }
      table.add("width") { _ in .width }
      table.add("channels") { _ in .channels }
      table.add("unnamed") { _ in .unnamed }
    }
  }

  extension PadMode: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("constant", [.required("_")]) { c in .constant(try c(0)) }
      table.add("reflect") { _ in .reflect }
      table.add("edge") { _ in .edge }
      table.add("wrap") { _ in .wrap }
    }
  }

  extension PoolingNDKind: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("maximum") { _ in .maximum }
      table.add("maximumPlace") { _ in .maximumPlace }
      table.add("averageInside") { _ in .averageInside }
      table.add("averageAll") { _ in .averageAll }
      table.add("lp", [.required("p")]) { c in .lp(p: try c(0)) }
    }
  }

  extension PositionalEncoding.Kind: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("sinusoidal", [.required("base")]) { c in .sinusoidal(base: try c(0)) }
      table.add("learned", [.required("maximumLength")]) { c in .learned(maximumLength: try c(0)) }
      table.add("rotary", [.required("_"), .required("heads")]) { c in .rotary(try c(0), heads: try c(1)) }
    }
  }

  extension Reduction: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("sum") { _ in .sum }
      table.add("mean") { _ in .mean }
      table.add("maximum") { _ in .maximum }
      table.add("minimum") { _ in .minimum }
      table.add("product") { _ in .product }
      table.add("l1") { _ in .l1 }
      table.add("l2") { _ in .l2 }
      table.add("sumOfSquares") { _ in .sumOfSquares }
      table.add("logSum") { _ in .logSum }
      table.add("logSumExp") { _ in .logSumExp }
    }
  }

  extension Remainder.Sign: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("ofDividend") { _ in .ofDividend }
      table.add("ofDivisor") { _ in .ofDivisor }
    }
  }

  extension ResampleMode: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("nearest", [.required("_")]) { c in .nearest(try c(0)) }
      table.add("linear") { _ in .linear }
      table.add("cubic", [.required("coefficient")]) { c in .cubic(coefficient: try c(0)) }
    }
  }

  extension ResampleCoordinates: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("halfPixel") { _ in .halfPixel }
      table.add("halfPixelSymmetric") { _ in .halfPixelSymmetric }
      table.add("pytorchHalfPixel") { _ in .pytorchHalfPixel }
      table.add("alignCorners") { _ in .alignCorners }
      table.add("asymmetric") { _ in .asymmetric }
      table.add("part", [.required("from"), .required("to")]) { c in .part(from: try c(0), to: try c(1)) }
      table.add("tensorflowHalfPixelNearest") { _ in .tensorflowHalfPixelNearest }
    }
  }

  extension ResizeMode: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("nearest") { _ in .nearest }
      table.add("bilinear") { _ in .bilinear }
      table.add("bilinearAntialiased") { _ in .bilinearAntialiased }
    }
  }

  extension ScatterCombination: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("replace") { _ in .replace }
      table.add("add") { _ in .add }
      table.add("multiply") { _ in .multiply }
      table.add("minimum") { _ in .minimum }
      table.add("maximum") { _ in .maximum }
    }
  }

  extension SpaceToDepth.Order: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("standard") { _ in .standard }
      table.add("darknet") { _ in .darknet }
    }
  }

  extension TopK.Output: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("values") { _ in .values }
      table.add("indices") { _ in .indices }
    }
  }

  extension UnaryFunction: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("absolute") { _ in .absolute }
      table.add("negate") { _ in .negate }
      table.add("sign") { _ in .sign }
      table.add("reciprocal") { _ in .reciprocal }
      table.add("squareRoot") { _ in .squareRoot }
      table.add("reciprocalSquareRoot") { _ in .reciprocalSquareRoot }
      table.add("square") { _ in .square }
      table.add("exponential") { _ in .exponential }
      table.add("logarithm") { _ in .logarithm }
      table.add("floor") { _ in .floor }
      table.add("ceiling") { _ in .ceiling }
      table.add("round") { _ in .round }
      table.add("truncate") { _ in .truncate }
      table.add("errorFunction") { _ in .errorFunction }
      table.add("sine") { _ in .sine }
      table.add("cosine") { _ in .cosine }
      table.add("tangent") { _ in .tangent }
      table.add("arcsine") { _ in .arcsine }
      table.add("arccosine") { _ in .arccosine }
      table.add("arctangent") { _ in .arctangent }
      table.add("hyperbolicSine") { _ in .hyperbolicSine }
      table.add("hyperbolicCosine") { _ in .hyperbolicCosine }
      table.add("hyperbolicArcsine") { _ in .hyperbolicArcsine }
      table.add("hyperbolicArccosine") { _ in .hyperbolicArccosine }
      table.add("hyperbolicArctangent") { _ in .hyperbolicArctangent }
      table.add("softsign") { _ in .softsign }
      table.add("logicalNot") { _ in .logicalNot }
      table.add("isNonzero") { _ in .isNonzero }
      table.add("isNaN") { _ in .isNaN }
      table.add("roundToFloat16") { _ in .roundToFloat16 }
      table.add("roundToBFloat16") { _ in .roundToBFloat16 }
      table.add("isInfinite", [.required("positive"), .required("negative")]) { c in .isInfinite(positive: try c(0), negative: try c(1)) }
      table.add("thresholdedReLU", [.required("alpha")]) { c in .thresholdedReLU(alpha: try c(0)) }
      table.add("scaledELU", [.required("alpha"), .required("gamma")]) { c in .scaledELU(alpha: try c(0), gamma: try c(1)) }
      table.add("celu", [.required("alpha")]) { c in .celu(alpha: try c(0)) }
      table.add("swish", [.required("beta")]) { c in .swish(beta: try c(0)) }
      table.add("shrink", [.required("bias"), .required("lambda")]) { c in .shrink(bias: try c(0), lambda: try c(1)) }
      table.add("scaledTanh", [.required("alpha"), .required("beta")]) { c in .scaledTanh(alpha: try c(0), beta: try c(1)) }
      table.add("parametricSoftplus", [.required("alpha"), .required("beta")]) { c in .parametricSoftplus(alpha: try c(0), beta: try c(1)) }
    }
  }

  extension NearestRounding: MemberValue {
    static let members = MemberTable<Self> { table in
      table.add("roundPreferFloor") { _ in .roundPreferFloor }
      table.add("roundPreferCeiling") { _ in .roundPreferCeiling }
      table.add("floor") { _ in .floor }
      table.add("ceiling") { _ in .ceiling }
    }
  }

  /// The types of those members, as source may name them.
  let memberTypes: Set<String> = [
    "ActivationFunction",
    "AttentionRule.Mask",
    "AveragePooling.Border",
    "Axis",
    "Bidirectional.Merge",
    "Comparison",
    "DepthToSpace.Order",
    "LogicalOperation",
    "MultiHeadAttention.Form",
    "NearestRounding",
    "PadMode",
    "Padding",
    "Padding1D",
    "PoolingNDKind",
    "PositionalEncoding.Kind",
    "RecurrentForm",
    "Reduction",
    "Remainder.Sign",
    "ResampleCoordinates",
    "ResampleMode",
    "ResizeMode",
    "RotaryEncoding",
    "ScatterCombination",
    "SpaceToDepth.Order",
    "TopK.Output",
    "UnaryFunction",
    "WindowRounding",
  ]
#endif
