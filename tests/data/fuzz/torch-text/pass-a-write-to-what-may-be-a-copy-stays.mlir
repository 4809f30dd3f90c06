func.func @f(%v: !torch.vtensor, %w: !torch.vtensor) -> !torch.vtensor {
  %int0 = torch.constant.int 0
  %0 = torch.copy.to_tensor %v : !torch.tensor
  %1 = torch.aten.t %0 : !torch.tensor -> !torch.tensor
  %2 = torch.aten.flatten.using_ints %1, %int0, %int0 : !torch.tensor, !torch.int, !torch.int -> !torch.tensor
  torch.overwrite.tensor.contents %w overwrites %2 : !torch.vtensor, !torch.tensor
  %3 = torch.copy.to_vtensor %0 : !torch.vtensor
  return %3 : !torch.vtensor
}
