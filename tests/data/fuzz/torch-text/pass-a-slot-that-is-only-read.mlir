torch.global_slot "private" @w : !torch.tensor
torch.global_slot.module_initializer {
  %0 = torch.tensor.literal(dense<3.0> : tensor<2xf32>) : !torch.tensor<[2],f32>
  torch.initialize.global_slots [ @w(%0 : !torch.tensor<[2],f32>) ]
}
func.func @f() -> !torch.tensor {
  %0 = torch.global_slot.get @w : !torch.tensor
  %1 = torch.aten.relu %0 : !torch.tensor -> !torch.tensor
  return %1 : !torch.tensor
}
