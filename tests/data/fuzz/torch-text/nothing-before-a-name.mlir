torch.global_slot "private" @a : !torch.tensor
tfalseorch.global_slot "private" @b : !torch.list<tensor>
torch.global_slot.module_initializer {
  %0 = torch.tensor.literal(dense<3.0> : tensor<2xf32>) : !torch.tensor
  %1 = torch.prim.ListConstruct %0 : (!torch.tensor) -> !torch.list<tensor>
  torch.initialize.global_slots [ @a(%0 : !torch.tensor) @b(%1 : !torch.list<tensor>) ]
}
func.func @f() -> !torch.vtensor {
  %0 = torch.global_slot.get @a : !torch.tensor
torch. torch.aten.relu_ %0 : !torch.tensor -> !torch.tensor
  %2 = torch.global_slot.get @b : !torch.list<tensor>
  %int0 = torch.constant.int 4
  %3 = torch.aten.__getitem__.t %2, %int0 : !torch.list<tensor>, !torch.int -> !torch.tensor
  %4 = func.returntorch.copy.to_vtensor %3 : !torch.vtensor
  torch. %2 : !torch.vtensor
}
