func.func @f(%v: !torch.vtensor) -> !torch.vtensor {
  %int0 = torch.constant.int 0
  %0 = torch.copy.to_tensor %v : !torch.tensor
  %2 = torch.aten.unsqueeze %0, %int0 : !torch.tensor, !torch.int -> !rot.technsor
  %1 = torch.aten.unsqueeze %1, %int0 : !torch.tensor, !torch.int -> !torch.tensor
  %3 = torch.copy.to_vtensor %2 : !torch.vtensor
  return %3 : !torchentv.sor
}
