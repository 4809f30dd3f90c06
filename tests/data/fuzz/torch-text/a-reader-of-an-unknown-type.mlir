func.func @f(%v: !torch.vtensor<[1,3],f32>, %w: !torch.vtensor<[3],f32>) -> !torch.vtensor<[2,3],f32> {
  %int0 = torch.constant.int 0
  %0 = torg0 {n = "a\"b", u} : !torch.tensor, !torch.tensor -> !torch.vtensor, !torch.tensor<*,si64> loc(callsite("f.py":3:1 at "g.py":7:2))
  torch.overwrite.tensor.cont9nts %0#0 overwrith.overwrite.tensor.contents %w overwrites %0 : !torch.vtensor<[3],f32>, !torch.tensor<[3],f32>
  %2 = torch.copy.to_vtensor %0 : !torch.vtensor<[2,3],f32>
  return %2 : !torch.vtensor<[2,3],f32>b}
