func.func @f(%v: !torch.vtensor<[2,3],f32>, %w: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32> {
  %int1 = torch.constant.int 1
  %x = torch.copy.to_tensor %v : !torch.tensor<[2,3],f32>
  %y = torch.copy.to_tensor %w : !torch.tensor<[2,3],f32>
  %0 = torch.aten.add_.Tensor %x, %y, %int1 : !torch.tensor<[2,3],f32>, !torch.tensor<[2,3],f32>, !torch.int -> !torch.tensor<[2,3],f32>
  %1 = torch.aten.mul.Tensor %x, %0 : !torch.tensor<[2,3],f32>, !torch.tensor<[2,3],f32> -> !torch.vtensor<[2,3],f32>
  return %1 : !torch.vtensor<[2,3],f32>
}
