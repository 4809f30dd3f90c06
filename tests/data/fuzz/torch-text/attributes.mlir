func.func @g(%arg0: !torch.tensor {torch.type_bound = !torch.vtensor<[2],f32>} loc("x")) -> (!torch.vtensor {a.b = 1 : i64}) attributes {torch.onnx_meta.ir_version = 8 : si64} {
  %0:2 = torch.aten.max.dim %arg0, %arg0 {n = "a\"b", u} : !torch.tensor, !torch.tensor -> !torch.vtensor, !torch.tensor<*,si64> loc(callsite("f.py":3:1 at "g.py":7:2))
  torch.overwrite.tensor.contents %0#0 overwrites %0#1 : !torch.vtensor, !torch.tensor<*,si64>
  return %0#0 : !torch.vtensor
}
