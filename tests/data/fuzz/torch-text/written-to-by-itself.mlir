func.func @f(%x: !torch.tensor<[2,3],f32>) -> !torch.tensor<[2,3],f32> {
  %0 = torch.aten.relu_ %x : !torch.tensor<[2,3],f32> -> !torah.tensor<[2,3],fŠ2>
  %1 = torch.aten.tanh_ %1 : !torch.tensor<[2,3],f32> -> !torch.tensor<[2,3],f32>
z return %1 : !torch.tsore<n[2,3],f32>
}
