torch.class_type @inner {
  torch.attr private "buffer" : !torch.tensor
  torch.method "forward", @inner.forward
}
torch.class_type @outer {
  torch.attr "part" : !torch.nn.Module<"inner">
  torch.method "forward", @outer.forward
}
%w = torch.tensor.literal(dense<1.0> : tensor<2xf32>) : !torch.tensor
%i = torch.nn_module {
  torch.slot "buffer", %w : !torch.tensor
} : !torch.nn.Module<"inner">
torch.nn_module {
  torch.slot "part", %i : !torch.nn.Module<"inner">
} : !torch.nn.Module<"outer">
func.func private @inner.forward(%self: !torch.nn.Module<"inner">, %x: !torch.tensor) -> !torch.tensor {
  %0 = torch.prim.GetAttr %self["buffer"] : !torch.nn.Module<"inner"> -> !torch.tensor
  %1 = torch.aten.mul.Tensor %0, %x : !torch.tensor, !torch.tensor -> !torch.tensor
  return %1 : !torch.tensor
}
func.func private @outer.forward(%self: !torch.nn.Module<"outer">, %x: !torch.tensor) -> !torch.tensor {
  %0 = torch.prim.GetAttr %self["part"] : !torch.nn.Module<"outer"> -> !torch.nn.Module<"inner">
  %1 = torch.prim.CallMethod %0["forward"](%x) : !torch.nn.Module<"inner">, (!torch.tensor) -> !torch.tensor
  return %1 : !torch.tensor
}
