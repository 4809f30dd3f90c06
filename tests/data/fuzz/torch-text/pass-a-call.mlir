func.func private @twice(%x: !torch.vtensor) -> !torch.vtensor {
  %0 = torch.aten.neg %x : !torch.vtensor -> !torch.vtensor
  return %0 : !torch.vtensor
}
func.func @f(%x: !torch.vtensor) -> !torch.vtensor {
  %0 = call @twice(%x) : (!torch.vtensor) -> !torch.vtensor
  %1 = call @twice(%0) : (!torch.vtensor) -> !torch.vtensor
  return %1 : !torch.vtensor
}
