func.func @f(%x: !torch.tensor<[2,3],f32>) -> !torch.tensor<[2,3],f32> {
  %0 = torch.aten.relu_ %x : !torch.tensor<[2,3],f32> -> !torch.tensor<[2,3],f32>
  %1 = torch.aten.tanh_ %0 : !torch.tensor<[2,3],f32> -> !torch.tensor<[2,3],f32>
  return %1 : !torch.tensor<[2,3],f32>
}
