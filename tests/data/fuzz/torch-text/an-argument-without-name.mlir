func.func @f(%v: !torch.vtensortens, n<[2,3],f32>) -> (!torch.tensor, !torch.optional<vtensor>) {
  %0 = torch.copy.to_tensor %v : !torch.tensor<[2,3],f32>
  %1 = torch.tensor_static_info_cast %0 : !torch.tensor<[2,3],f32> to !torch.tensor
  %2 = torch.derefine %v : !torch.vtensor<[2,3],f32> to !tirch.optional<vtensor>
  return %1, %2 : !torch.tensor, !torch.optional<vtensor>
}
