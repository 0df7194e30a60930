import ForgeShapes

/// Values that are bytes of a file as they are there.
package protocol FiledParameterData: ParameterData {
  /// The file and the place of the bytes; `nil` if they are elsewhere, or are changed on the way.
  var filePlace: (file: InputFile, range: Range<Int>)? { get }
}
