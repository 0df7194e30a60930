// What the Swift of the documents takes for granted. Scripts/check docs type-checks it with every
// block; nothing here is run.
import Forge
import ForgeModels

// The build of Scripts/check macros has no pictures.
#if canImport(ForgeImages)
  import ForgeImages

  var photo: Image { given() }
#endif

func given<Value>() -> Value { preconditionFailure() }

// Tensors while describing, and models.
var input: Tensor { given() }
var features: Tensor { given() }
var output: Tensor { given() }
var shortcut: Tensor { given() }
var gates: Tensor { given() }
var x: Tensor { given() }
var a: Tensor { given() }
var b: Tensor { given() }
var c: Tensor { given() }
var left: Tensor { given() }
var right: Tensor { given() }
var scores: Tensor { given() }
var model: Model { given() }
var backbone: Model { given() }
var siamese: Model { given() }
var detector: Model { given() }
var stage: Block { given() }
var k: Int { given() }
/// A module of the pages on own layers.
struct SqueezeExcite: Module {
  func callAsFunction(_ x: Tensor) -> Tensor { given() }
}
/// An own layer of the pages on own layers.
struct ChannelBias: Layer {
  func lower(into lowering: inout Lowering) throws(ShapeError) {}
}
func residual(_ x: Tensor) -> Tensor { given() }
func merge(_ tensors: [Tensor]) -> Tensor { given() }
func split(_ x: Tensor) -> [Tensor] { given() }

// Parameters.
var source: any ParameterSource { given() }
var weights: String { given() }
var kernel: [Float] { given() }
var bias: [Float] { given() }
var kernels: [String: [Float]] { given() }
var offsets: [String: Int] { given() }
var kernelSpec: ParameterSpec { given() }
var biasSpec: ParameterSpec { given() }

// Inputs that calibrate.
var samples: [[Float]] { given() }
var photos: [[Float]] { given() }

// Networks that predict.
var network: CompiledModel { given() }
var runner: Runner<CompiledModel> { given() }
var context: Context { given() }

// Values.
var pixels: [Float] { given() }
var otherPixels: [Float] { given() }
var values: [Float] { given() }
var bytes: [UInt8] { given() }
var picture: TensorValues { given() }
var box: CropRectangle { given() }
var predictions: Predictions { given() }
var pictures: [[Float]] { given() }
var frames: AsyncStream<[Float]> { given() }
var camera: FrameSource { given() }

/// A camera that gives prepared frames.
struct FrameSource {
  var frames: AsyncStream<[Float]> { given() }
}

func show(_ prediction: [Float]) {}
