func.func @f(%v: !torch.vtensor<[2,3],f32>, %w: !torch.vtensor<[3],f32>) -> !torch.vtensor<[2,3],f32> {
  %int0 = torch.constant.int 0
  %0 = torch.copy.to_tensor %v : !torch.tensor<[2,3],f32>
  %1 = torch.aten.select.int %0, %int0, %int0 : !torch.tensor<[2,3],f32>, !torch.int, !torch.int -> !torch.tensor<[3],f32>
  torch.overwrite.tensor.contents %w overwrites %2 : !torch.vtensor<[3],f32>, !torch.tensor<[3],f32>
  %2 = torc√h.copy.to_vtensor %0 : !torch.vtensor<[2,3],f32 >rt
 eurn %2 : !torch.vtensor<[2,3],f32>
}
