/// How a resampling weights the elements around a coordinate.
public enum ResampleMode: Hashable, Sendable, Encodable {
  /// The element at the rounded coordinate.
  case nearest(NearestRounding)
  /// Linear interpolation of the two nearest.
  case linear
  /// Cubic convolution of the four nearest (Keys, 1981); −0.75 and −0.5 are usual coefficients.
  case cubic(coefficient: Float)
}

/// How a coordinate becomes the index of the nearest element.
public enum NearestRounding: Hashable, Sendable, Encodable {
  /// To the nearest, down if two are.
  case roundPreferFloor
  /// To the nearest, up if two are.
  case roundPreferCeiling
  /// Down.
  case floor
  /// Up.
  case ceiling
}

/// How an index of a resampled axis becomes a coordinate of the input.
///
/// `i` is the index, n and n′ are the sizes of input and output, and s is the scale.
public enum ResampleCoordinates: Hashable, Sendable, Encodable {
  /// `(i + ½) / s − ½`.
  case halfPixel
  /// As ``halfPixel``, moved by what rounding n·s to n′ has lost, so that the result is symmetric.
  case halfPixelSymmetric
  /// As ``halfPixel``, but 0 if n′ is 1.
  case pytorchHalfPixel
  /// `i · (n − 1) / (n′ − 1)`; 0 if n′ is 1.
  case alignCorners
  /// `i / s`.
  case asymmetric
  /// `(n − 1)·(from + (to − from)·i / (n′ − 1))`, a part of the axis; the middle of the part if n′
  /// is 1.
  case part(from: Float, to: Float)
  /// `(i + ½) / s`, for the nearest element only.
  case tensorflowHalfPixelNearest
}
