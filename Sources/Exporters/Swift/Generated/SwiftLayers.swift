// Written by Scripts/layer-calls --update; do not edit.
// swift-format-ignore-file

import Forge
import ForgeLayers
import ForgeOperations
import ForgeShapes

extension ForgeLayers.Activation: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, function)] }
  var rebuilt: Self { Self(function, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.AdaptiveAveragePooling: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("width", width), .required("height", height)] }
  var rebuilt: Self { Self(width: width, height: height, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Add: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("constant", constant, nil)] }
  var rebuilt: Self { Self(constant: constant, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ArgMax: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axis", axis), .optional("keepsDimensions", keepsDimensions, false), .optional("selectsLast", selectsLast, false)] }
  var rebuilt: Self { Self(axis: axis, keepsDimensions: keepsDimensions, selectsLast: selectsLast, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ArgMin: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axis", axis), .optional("keepsDimensions", keepsDimensions, false), .optional("selectsLast", selectsLast, false)] }
  var rebuilt: Self { Self(axis: axis, keepsDimensions: keepsDimensions, selectsLast: selectsLast, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Average: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.AveragePooling: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .optional("stride", stride, nil), .optional("padding", padding, .valid), .optional("border", border, .excluded), .optional("dilation", dilation, Size(width: 1, height: 1)), .optional("rounding", rounding, .floor)] }
  var rebuilt: Self { Self(kernel: (kernel.width, kernel.height), stride: (stride.width, stride.height), padding: padding, border: border, dilation: (dilation.width, dilation.height), rounding: rounding, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.AveragePooling1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .optional("stride", stride, nil), .optional("padding", padding, .valid), .optional("border", border, .excluded), .optional("dilation", dilation, 1), .optional("rounding", rounding, .floor)] }
  var rebuilt: Self { Self(kernel: kernel, stride: stride, padding: padding, border: border, dilation: dilation, rounding: rounding, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.BatchNormalization: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("epsilon", epsilon, 0.001), .optional("center", center, true), .optional("scale", scale, true)] }
  var rebuilt: Self { Self(epsilon: epsilon, center: center, scale: scale, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Bidirectional: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.layer(nil, layer), .optional("merge", merge, .concatenate)] }
  var rebuilt: Self { Self(layer, merge: merge, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ChannelShuffle: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("groups", groups)] }
  var rebuilt: Self { Self(groups: groups, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Compare: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, comparison), .optional("than", other, nil)] }
  var rebuilt: Self { Self(comparison, than: other, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Concatenate: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axis", axis, -1)] }
  var rebuilt: Self { Self(axis: axis, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Constant: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, values), .required("shape", shape)] }
  var rebuilt: Self { Self(values, shape: shape, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Convolution: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .required("channels", channels), .optional("stride", stride, Size(width: 1, height: 1)), .optional("dilation", dilation, Size(width: 1, height: 1)), .optional("padding", padding, .same), .optional("groups", groups, 1), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: (kernel.width, kernel.height), channels: channels, stride: (stride.width, stride.height), dilation: (dilation.width, dilation.height), padding: padding, groups: groups, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Convolution1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .required("channels", channels), .optional("stride", stride, 1), .optional("dilation", dilation, 1), .optional("padding", padding, .same), .optional("groups", groups, 1), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: kernel, channels: channels, stride: stride, dilation: dilation, padding: padding, groups: groups, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Crop: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("top", top, 0), .optional("left", left, 0), .optional("bottom", bottom, 0), .optional("right", right, 0)] }
  var rebuilt: Self { Self(top: top, left: left, bottom: bottom, right: right, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.CumulativeSum: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axis", axis), .optional("exclusive", exclusive, false), .optional("reversed", reversed, false)] }
  var rebuilt: Self { Self(axis: axis, exclusive: exclusive, reversed: reversed, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Dense: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("neurons", neurons), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(neurons: neurons, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.DepthToSpace: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("block", block), .optional("order", order, .depthColumnRow)] }
  var rebuilt: Self { Self(block: block, order: order, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.DepthwiseConvolution: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .optional("stride", stride, Size(width: 1, height: 1)), .optional("dilation", dilation, Size(width: 1, height: 1)), .optional("padding", padding, .same), .optional("multiplier", multiplier, 1), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: (kernel.width, kernel.height), stride: (stride.width, stride.height), dilation: (dilation.width, dilation.height), padding: padding, multiplier: multiplier, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.DepthwiseConvolution1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .optional("stride", stride, 1), .optional("dilation", dilation, 1), .optional("padding", padding, .same), .optional("multiplier", multiplier, 1), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: kernel, stride: stride, dilation: dilation, padding: padding, multiplier: multiplier, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Divide: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("by", divisor, nil)] }
  var rebuilt: Self { Self(by: divisor, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Dropout: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("rate", rate)] }
  var rebuilt: Self { Self(rate: rate, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Embedding: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("vocabulary", vocabulary), .required("channels", channels)] }
  var rebuilt: Self { Self(vocabulary: vocabulary, channels: channels, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Expand: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("to", sizes)] }
  var rebuilt: Self { Self(to: sizes, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ExpandDims: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axes", axes)] }
  var rebuilt: Self { Self(axes: axes, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Flatten: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GRU: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("units", units), .optional("returnSequences", returnSequences, false), .optional("activation", activation, .tanh), .optional("recurrentActivation", recurrentActivation, .sigmoid), .optional("useBias", useBias, true), .optional("resetAfter", resetAfter, true), .optional("isReversed", isReversed, false), .optional("stateful", stateful, false), .optional("masked", masked, false), .optional("form", form, .keras)] }
  var rebuilt: Self { Self(units: units, returnSequences: returnSequences, activation: activation, recurrentActivation: recurrentActivation, useBias: useBias, resetAfter: resetAfter, isReversed: isReversed, stateful: stateful, masked: masked, form: form, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Gather: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("indices", indices), .required("axis", axis)] }
  var rebuilt: Self { Self(indices: indices, axis: axis, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GatherElements: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axis", axis)] }
  var rebuilt: Self { Self(axis: axis, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GatherRows: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axis", axis, 0)] }
  var rebuilt: Self { Self(axis: axis, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GlobalAveragePooling: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GlobalAveragePooling1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GlobalMaxPooling: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GlobalMaxPooling1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Grayscale: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.GroupNormalization: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("groups", groups), .optional("epsilon", epsilon, 1e-5), .optional("center", center, true), .optional("scale", scale, true)] }
  var rebuilt: Self { Self(groups: groups, epsilon: epsilon, center: center, scale: scale, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Identity: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.InstanceNormalization: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("epsilon", epsilon, 1e-5), .optional("center", center, true), .optional("scale", scale, true)] }
  var rebuilt: Self { Self(epsilon: epsilon, center: center, scale: scale, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.L2Normalize: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axes", axes, [-1]), .optional("epsilon", epsilon, 1e-12)] }
  var rebuilt: Self { Self(axes: axes, epsilon: epsilon, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.LSTM: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("units", units), .optional("returnSequences", returnSequences, false), .optional("activation", activation, .tanh), .optional("recurrentActivation", recurrentActivation, .sigmoid), .optional("useBias", useBias, true), .optional("peepholes", peepholes, false), .optional("projection", projection, nil), .optional("isReversed", isReversed, false), .optional("stateful", stateful, false), .optional("masked", masked, false), .optional("form", form, .keras)] }
  var rebuilt: Self { Self(units: units, returnSequences: returnSequences, activation: activation, recurrentActivation: recurrentActivation, useBias: useBias, peepholes: peepholes, projection: projection, isReversed: isReversed, stateful: stateful, masked: masked, form: form, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.LastAxisDense: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("neurons", neurons), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(neurons: neurons, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.LayerNormalization: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axes", axes, [-1]), .optional("epsilon", epsilon, 1e-5), .optional("center", center, true), .optional("scale", scale, true)] }
  var rebuilt: Self { Self(axes: axes, epsilon: epsilon, center: center, scale: scale, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.LocalResponseNormalization: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("size", size), .optional("alpha", alpha, 0.0001), .optional("beta", beta, 0.75), .optional("bias", bias, 1)] }
  var rebuilt: Self { Self(size: size, alpha: alpha, beta: beta, bias: bias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.LogSoftmax: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axis", axis, -1)] }
  var rebuilt: Self { Self(axis: axis, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Logical: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, combination), .optional("with", other, nil)] }
  var rebuilt: Self { Self(combination, with: other, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.MatMul: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("transposeA", transposeA, false), .optional("transposeB", transposeB, false)] }
  var rebuilt: Self { Self(transposeA: transposeA, transposeB: transposeB, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.MaxPooling: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .optional("stride", stride, nil), .optional("padding", padding, .valid), .optional("dilation", dilation, Size(width: 1, height: 1)), .optional("rounding", rounding, .floor)] }
  var rebuilt: Self { Self(kernel: (kernel.width, kernel.height), stride: (stride.width, stride.height), padding: padding, dilation: (dilation.width, dilation.height), rounding: rounding, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.MaxPooling1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .optional("stride", stride, nil), .optional("padding", padding, .valid), .optional("dilation", dilation, 1), .optional("rounding", rounding, .floor)] }
  var rebuilt: Self { Self(kernel: kernel, stride: stride, padding: padding, dilation: dilation, rounding: rounding, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Maximum: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("constant", constant, nil)] }
  var rebuilt: Self { Self(constant: constant, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Minimum: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("constant", constant, nil)] }
  var rebuilt: Self { Self(constant: constant, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.MultiHeadAttention: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("heads", heads), .required("keyChannels", keyChannels), .optional("valueChannels", valueChannels, nil), .optional("keyValueHeads", keyValueHeads, nil), .optional("outputs", outputs, nil), .optional("scale", scale, nil), .optional("isCausal", isCausal, false), .optional("mask", mask, .none), .optional("rotary", rotary, nil), .optional("cacheLength", cacheLength, nil), .optional("useBias", useBias, true), .optional("form", form, .separate)] }
  var rebuilt: Self { Self(heads: heads, keyChannels: keyChannels, valueChannels: valueChannels, keyValueHeads: keyValueHeads, outputs: outputs, scale: scale, isCausal: isCausal, mask: mask, rotary: rotary, cacheLength: cacheLength, useBias: useBias, form: form, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Multiply: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("constant", constant, nil)] }
  var rebuilt: Self { Self(constant: constant, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.NonMaximumSuppression: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("maximumPerClass", maximumPerClass), .required("iouThreshold", iouThreshold), .required("scoreThreshold", scoreThreshold), .optional("centerPointBoxes", centerPointBoxes, false)] }
  var rebuilt: Self { Self(maximumPerClass: maximumPerClass, iouThreshold: iouThreshold, scoreThreshold: scoreThreshold, centerPointBoxes: centerPointBoxes, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.PReLU: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("shared", shared, [.time, .height, .width])] }
  var rebuilt: Self { Self(shared: shared, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Pad: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("before", before), .required("after", after), .optional("mode", mode, .constant(0))] }
  var rebuilt: Self { Self(before: before, after: after, mode: mode, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Permute: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("order", order)] }
  var rebuilt: Self { Self(order: order, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.PointwiseConvolution: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("channels", channels), .optional("stride", stride, Size(width: 1, height: 1)), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(channels: channels, stride: (stride.width, stride.height), activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.PoolingND: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, kind), .required("kernel", kernel), .optional("strides", strides, nil), .optional("dilations", dilations, nil), .optional("before", before, nil), .optional("after", after, nil), .optional("rounding", rounding, .floor)] }
  var rebuilt: Self { Self(kind, kernel: kernel, strides: strides, dilations: dilations, before: before, after: after, rounding: rounding, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.PositionalEncoding: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional(nil, kind, .sinusoidal(base: 10_000)), .optional("streamLength", streamLength, nil)] }
  var rebuilt: Self { Self(kind, streamLength: streamLength, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Power: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("of", exponent, nil)] }
  var rebuilt: Self { Self(of: exponent, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.RMSNormalization: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("epsilon", epsilon, 1e-6), .optional("scale", scale, true)] }
  var rebuilt: Self { Self(epsilon: epsilon, scale: scale, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Reduce: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, kind), .optional("axes", axes, nil), .optional("keepsDimensions", keepsDimensions, false)] }
  var rebuilt: Self { Self(kind, axes: axes, keepsDimensions: keepsDimensions, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Remainder: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional(nil, sign, .ofDivisor), .optional("by", divisor, nil)] }
  var rebuilt: Self { Self(sign, by: divisor, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Resample: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("sizes", sizes), .optional("scales", scales, []), .optional("mode", mode, .linear), .optional("coordinates", coordinates, .halfPixel), .optional("antialias", antialias, false), .optional("excludesOutside", excludesOutside, false)] }
  var rebuilt: Self { Self(sizes: sizes, scales: scales, mode: mode, coordinates: coordinates, antialias: antialias, excludesOutside: excludesOutside, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Reshape: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("to", sizes)] }
  var rebuilt: Self { Self(to: sizes, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Resize: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("width", width), .required("height", height), .optional("mode", mode, .bilinear)] }
  var rebuilt: Self { Self(width: width, height: height, mode: mode, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Scale: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("by", factors, [1]), .optional("bias", bias, [0])] }
  var rebuilt: Self { Self(by: factors, bias: bias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ScaledDotProductAttention: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("heads", heads, 1), .optional("keyValueHeads", keyValueHeads, nil), .optional("scale", scale, nil), .optional("isCausal", isCausal, false), .optional("cap", cap, nil), .optional("mask", mask, .none), .optional("cacheLength", cacheLength, nil)] }
  var rebuilt: Self { Self(heads: heads, keyValueHeads: keyValueHeads, scale: scale, isCausal: isCausal, cap: cap, mask: mask, cacheLength: cacheLength, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ScatterElements: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axis", axis), .optional("combination", combination, .replace)] }
  var rebuilt: Self { Self(axis: axis, combination: combination, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ScatterRows: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axis", axis, 0), .optional("combination", combination, .replace)] }
  var rebuilt: Self { Self(axis: axis, combination: combination, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.SeparableConvolution: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .required("channels", channels), .optional("multiplier", multiplier, 1), .optional("stride", stride, Size(width: 1, height: 1)), .optional("dilation", dilation, Size(width: 1, height: 1)), .optional("padding", padding, .same), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: (kernel.width, kernel.height), channels: channels, multiplier: multiplier, stride: (stride.width, stride.height), dilation: (dilation.width, dilation.height), padding: padding, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.SeparableConvolution1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .required("channels", channels), .optional("multiplier", multiplier, 1), .optional("stride", stride, 1), .optional("dilation", dilation, 1), .optional("padding", padding, .same), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: kernel, channels: channels, multiplier: multiplier, stride: stride, dilation: dilation, padding: padding, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.SimpleRNN: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("units", units), .optional("returnSequences", returnSequences, false), .optional("activation", activation, .tanh), .optional("useBias", useBias, true), .optional("isReversed", isReversed, false), .optional("stateful", stateful, false), .optional("masked", masked, false), .optional("form", form, .keras)] }
  var rebuilt: Self { Self(units: units, returnSequences: returnSequences, activation: activation, useBias: useBias, isReversed: isReversed, stateful: stateful, masked: masked, form: form, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Slice: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("starts", starts), .required("ends", ends), .optional("axes", axes, nil), .optional("steps", steps, nil)] }
  var rebuilt: Self { Self(starts: starts, ends: ends, axes: axes, steps: steps, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Softmax: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("axis", axis, -1)] }
  var rebuilt: Self { Self(axis: axis, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.SpaceToDepth: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("block", block), .optional("order", order, .standard)] }
  var rebuilt: Self { Self(block: block, order: order, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Squeeze: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("axes", axes)] }
  var rebuilt: Self { Self(axes: axes, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Subtract: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("constant", constant, nil)] }
  var rebuilt: Self { Self(constant: constant, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.SubtractMeanColor: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("red", red), .required("green", green), .required("blue", blue)] }
  var rebuilt: Self { Self(red: red, green: green, blue: blue, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.SwapRedBlue: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Tile: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, repeats)] }
  var rebuilt: Self { Self(repeats, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.TimeDistributed: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.layer(nil, layer)] }
  var rebuilt: Self { Self(layer, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.TopK: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("count", count), .optional("axis", axis, -1), .optional("largest", largest, true), .optional("sorted", sorted, true), .optional("output", output, .values)] }
  var rebuilt: Self { Self(count: count, axis: axis, largest: largest, sorted: sorted, output: output, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.TransposedConvolution: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .required("channels", channels), .optional("stride", stride, Size(width: 1, height: 1)), .optional("dilation", dilation, Size(width: 1, height: 1)), .optional("padding", padding, .same), .optional("outputPadding", outputPadding, Size(width: 0, height: 0)), .optional("groups", groups, 1), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: (kernel.width, kernel.height), channels: channels, stride: (stride.width, stride.height), dilation: (dilation.width, dilation.height), padding: padding, outputPadding: (outputPadding.width, outputPadding.height), groups: groups, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.TransposedConvolution1D: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required("kernel", kernel), .required("channels", channels), .optional("stride", stride, 1), .optional("dilation", dilation, 1), .optional("padding", padding, .same), .optional("outputPadding", outputPadding, 0), .optional("groups", groups, 1), .optional("activation", activation, .linear), .optional("useBias", useBias, true)] }
  var rebuilt: Self { Self(kernel: kernel, channels: channels, stride: stride, dilation: dilation, padding: padding, outputPadding: outputPadding, groups: groups, activation: activation, useBias: useBias, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Unary: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.required(nil, function)] }
  var rebuilt: Self { Self(function, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.UpSampling: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("size", size, Size(width: 2, height: 2)), .optional("mode", mode, .nearest)] }
  var rebuilt: Self { Self(size: (size.width, size.height), mode: mode, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.Where: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [] }
  var rebuilt: Self { Self(name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ForgeLayers.ZeroPadding: SwiftLayer {
  var swiftArguments: [SwiftArgument] { [.optional("top", top, 0), .optional("left", left, 0), .optional("bottom", bottom, 0), .optional("right", right, 0)] }
  var rebuilt: Self { Self(top: top, left: left, bottom: bottom, right: right, name: name, fileID: place.fileID, line: place.line, column: place.column) }
}

extension ActivationFunction: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .linear: .member("linear", [])
    case .relu: .member("relu", [])
    case .relu6: .member("relu6", [])
    case .clipped(let a0, let a1): .member("clipped", [.required("minimum", a0), .required("maximum", a1)])
    case .leakyReLU(let a0): .member("leakyReLU", [.required("slope", a0)])
    case .elu(let a0): .member("elu", [.required("alpha", a0)])
    case .selu: .member("selu", [])
    case .sigmoid: .member("sigmoid", [])
    case .tanh: .member("tanh", [])
    case .hardSigmoid: .member("hardSigmoid", [])
    case .hardSigmoidKeras2: .member("hardSigmoidKeras2", [])
    case .hardSigmoidLinear(let a0, let a1): .member("hardSigmoidLinear", [.required("alpha", a0), .required("beta", a1)])
    case .hardSwish: .member("hardSwish", [])
    case .swish: .member("swish", [])
    case .mish: .member("mish", [])
    case .gelu: .member("gelu", [])
    case .geluTanh: .member("geluTanh", [])
    case .softplus: .member("softplus", [])
    }
  }
}

extension AveragePooling.Border: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .excluded: .member("excluded", [])
    case .counted: .member("counted", [])
    }
  }
}

extension WindowRounding: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .floor: .member("floor", [])
    case .ceiling: .member("ceiling", [])
    }
  }
}

extension Padding1D: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .same: .member("same", [])
    case .valid: .member("valid", [])
    case .causal: .member("causal", [])
    case .streaming: .member("streaming", [])
    case .explicit(let a0, let a1): .member("explicit", [.required("before", a0), .required("after", a1)])
    }
  }
}

extension Bidirectional.Merge: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .concatenate: .member("concatenate", [])
    case .sum: .member("sum", [])
    case .multiply: .member("multiply", [])
    case .average: .member("average", [])
    }
  }
}

extension Comparison: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .equal: .member("equal", [])
    case .notEqual: .member("notEqual", [])
    case .less: .member("less", [])
    case .lessOrEqual: .member("lessOrEqual", [])
    case .greater: .member("greater", [])
    case .greaterOrEqual: .member("greaterOrEqual", [])
    }
  }
}

extension DepthToSpace.Order: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .depthColumnRow: .member("depthColumnRow", [])
    case .columnRowDepth: .member("columnRowDepth", [])
    }
  }
}

extension RecurrentForm: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .keras: .member("keras", [])
    case .pytorch: .member("pytorch", [])
    case .onnx: .member("onnx", [])
    }
  }
}

extension LogicalOperation: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .and: .member("and", [])
    case .or: .member("or", [])
    case .xor: .member("xor", [])
    }
  }
}

extension AttentionRule.Mask: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .none: .member("none", [])
    case .added: .member("added", [])
    case .visible: .member("visible", [])
    }
  }
}

extension RotaryEncoding: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .halves(let a0, let a1): .member("halves", [.optional("base", a0, 10_000), .optional("channels", a1, nil)])
    case .neighbors(let a0, let a1): .member("neighbors", [.optional("base", a0, 10_000), .optional("channels", a1, nil)])
    }
  }
}

extension MultiHeadAttention.Form: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .separate: .member("separate", [])
    case .joined: .member("joined", [])
    }
  }
}

extension Axis: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .batch: .member("batch", [])
    case .time: .member("time", [])
    case .height: .member("height", [])
    case .width: .member("width", [])
    case .channels: .member("channels", [])
    case .unnamed: .member("unnamed", [])
    }
  }
}

extension PadMode: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .constant(let a0): .member("constant", [.required(nil, a0)])
    case .reflect: .member("reflect", [])
    case .edge: .member("edge", [])
    case .wrap: .member("wrap", [])
    }
  }
}

extension PoolingNDKind: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .maximum: .member("maximum", [])
    case .maximumPlace: .member("maximumPlace", [])
    case .averageInside: .member("averageInside", [])
    case .averageAll: .member("averageAll", [])
    case .lp(let a0): .member("lp", [.required("p", a0)])
    }
  }
}

extension PositionalEncoding.Kind: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .sinusoidal(let a0): .member("sinusoidal", [.required("base", a0)])
    case .learned(let a0): .member("learned", [.required("maximumLength", a0)])
    case .rotary(let a0, let a1): .member("rotary", [.required(nil, a0), .required("heads", a1)])
    }
  }
}

extension Reduction: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .sum: .member("sum", [])
    case .mean: .member("mean", [])
    case .maximum: .member("maximum", [])
    case .minimum: .member("minimum", [])
    case .product: .member("product", [])
    case .l1: .member("l1", [])
    case .l2: .member("l2", [])
    case .sumOfSquares: .member("sumOfSquares", [])
    case .logSum: .member("logSum", [])
    case .logSumExp: .member("logSumExp", [])
    }
  }
}

extension Remainder.Sign: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .ofDividend: .member("ofDividend", [])
    case .ofDivisor: .member("ofDivisor", [])
    }
  }
}

extension ResampleMode: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .nearest(let a0): .member("nearest", [.required(nil, a0)])
    case .linear: .member("linear", [])
    case .cubic(let a0): .member("cubic", [.required("coefficient", a0)])
    }
  }
}

extension ResampleCoordinates: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .halfPixel: .member("halfPixel", [])
    case .halfPixelSymmetric: .member("halfPixelSymmetric", [])
    case .pytorchHalfPixel: .member("pytorchHalfPixel", [])
    case .alignCorners: .member("alignCorners", [])
    case .asymmetric: .member("asymmetric", [])
    case .part(let a0, let a1): .member("part", [.required("from", a0), .required("to", a1)])
    case .tensorflowHalfPixelNearest: .member("tensorflowHalfPixelNearest", [])
    }
  }
}

extension ResizeMode: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .nearest: .member("nearest", [])
    case .bilinear: .member("bilinear", [])
    case .bilinearAntialiased: .member("bilinearAntialiased", [])
    }
  }
}

extension ScatterCombination: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .replace: .member("replace", [])
    case .add: .member("add", [])
    case .multiply: .member("multiply", [])
    case .minimum: .member("minimum", [])
    case .maximum: .member("maximum", [])
    }
  }
}

extension SpaceToDepth.Order: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .standard: .member("standard", [])
    case .darknet: .member("darknet", [])
    }
  }
}

extension TopK.Output: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .values: .member("values", [])
    case .indices: .member("indices", [])
    }
  }
}

extension UnaryFunction: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .absolute: .member("absolute", [])
    case .negate: .member("negate", [])
    case .sign: .member("sign", [])
    case .reciprocal: .member("reciprocal", [])
    case .squareRoot: .member("squareRoot", [])
    case .reciprocalSquareRoot: .member("reciprocalSquareRoot", [])
    case .square: .member("square", [])
    case .exponential: .member("exponential", [])
    case .logarithm: .member("logarithm", [])
    case .floor: .member("floor", [])
    case .ceiling: .member("ceiling", [])
    case .round: .member("round", [])
    case .truncate: .member("truncate", [])
    case .errorFunction: .member("errorFunction", [])
    case .sine: .member("sine", [])
    case .cosine: .member("cosine", [])
    case .tangent: .member("tangent", [])
    case .arcsine: .member("arcsine", [])
    case .arccosine: .member("arccosine", [])
    case .arctangent: .member("arctangent", [])
    case .hyperbolicSine: .member("hyperbolicSine", [])
    case .hyperbolicCosine: .member("hyperbolicCosine", [])
    case .hyperbolicArcsine: .member("hyperbolicArcsine", [])
    case .hyperbolicArccosine: .member("hyperbolicArccosine", [])
    case .hyperbolicArctangent: .member("hyperbolicArctangent", [])
    case .softsign: .member("softsign", [])
    case .logicalNot: .member("logicalNot", [])
    case .isNonzero: .member("isNonzero", [])
    case .isNaN: .member("isNaN", [])
    case .roundToFloat16: .member("roundToFloat16", [])
    case .roundToBFloat16: .member("roundToBFloat16", [])
    case .isInfinite(let a0, let a1): .member("isInfinite", [.required("positive", a0), .required("negative", a1)])
    case .thresholdedReLU(let a0): .member("thresholdedReLU", [.required("alpha", a0)])
    case .scaledELU(let a0, let a1): .member("scaledELU", [.required("alpha", a0), .required("gamma", a1)])
    case .celu(let a0): .member("celu", [.required("alpha", a0)])
    case .swish(let a0): .member("swish", [.required("beta", a0)])
    case .shrink(let a0, let a1): .member("shrink", [.required("bias", a0), .required("lambda", a1)])
    case .scaledTanh(let a0, let a1): .member("scaledTanh", [.required("alpha", a0), .required("beta", a1)])
    case .parametricSoftplus(let a0, let a1): .member("parametricSoftplus", [.required("alpha", a0), .required("beta", a1)])
    }
  }
}

extension NearestRounding: SwiftValue {
  var swift: SwiftExpression {
    switch self {
    case .roundPreferFloor: .member("roundPreferFloor", [])
    case .roundPreferCeiling: .member("roundPreferCeiling", [])
    case .floor: .member("floor", [])
    case .ceiling: .member("ceiling", [])
    }
  }
}
