torch.class_type @Inner {
  torch.attr private "buffer" : !torch.tensor
  torch.method "forward", @Inner.forward
}
torch.class_type @Net {
  torch.attr private "inner" : !torch.nn.Module<"Inner">
  torch.method "forward", @Net.forward
}
%b = torch.tensor.literal(dense<0.5> : tensor<4xf32>) : !torch.tensor<[4],f32>
%i = torch.nn_module {
  torch.slot "buffer", %b : !torch.tensor<[4],f32>
} : !torch.nn.Module<"Inner">
%n = torch.nn_module {
  torch.slot "inner", %i : !torch.nn.Module<"Inner">
} : !torch.nn.Module<"Net">
func.func private @Inner.forward(%self: !torch.nn.Module<"Inner">, %x: !torch.tensor) -> !torch.tensor {
  %0 = torch.prim.GetAttr %self["buffer"] : !torch.nn.Module<"Inner"> -> !torch.tensor
  return %0 : !torch.tensor
}
func.func private @Net.forward(%self: !torch.nn.Module<"Net">, %x: !torch.tensor {torch.type_bound = !torch.vtensor<[2,4],f32>}) -> !torch.tensor {
  "torch.prim.GetAttr"(%self) {name = "inner"} : (!torch.nn.Module<"Net">) -> ()
  return %x : !torch.tensor
}
