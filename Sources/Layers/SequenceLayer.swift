import ForgeOperations
import ForgeShapes

/// A layer of sequences [time][channels], lowered to an operation on images of one row.
package protocol SequenceLayer: BuiltInLayer {}
