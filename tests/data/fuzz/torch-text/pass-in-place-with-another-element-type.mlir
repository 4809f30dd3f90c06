func.func @f(%x: !torch.tensor<[2],f32>, %y: !torch.tensor<[2],f64>) -> !torch.none {
  %int1 = torch.constant.int 1
  %none = torch.constant.none
  %0 = torch.aten.add_.Tensor %x, %y, %int1 : !torch.tensor<[2],f32>, !torch.tensor<[2],f64>, !torch.int -> !torch.tensor<[2],f32>
  return %none : !torch.none
}
