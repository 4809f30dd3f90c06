// A module with a part, a buffer that is added in place, and a composite.
// SPDX-License-Identifier: Apache-2.0
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
  %int1 = torch.constant.int 1
  %0 = "torch.prim.GetAttr"(%self) {name = 5} : (!torch.nn.Module<"Inner">) -> !torch.tensor loc("net.py":7:10)
  %1 = torch.aten.add_.Tensor %x, %0, %int1 : !torch.tensor, !torch.tensor, !torch.int -> !torch.tensor loc("net.py":7:10)
  %2 = torch.aten.tanh_ %1 : !torch.tensor -> !torch.tensor loc("net.py":8:10)
  return %2 : !torch.tensor
}
func.func private @Net.forward(%self: !torch.nn.Module<"Net">, %x: !torch.tensor {torch.type_bound = !torch.vtensor<[2,4],f32>}) -> !torch.tensor {
  %none = torch.constant.none
  %int4 = torch.constant.int 4
  %int-1 = torch.constant.int -1
  %true = torch.constant.bool true
  %eps = torch.constant.float 0.000000e-05
  %shape = torch.prim.ListConstruct %int4 : (!torch.int) -> !torch.list<int>
  %0 = torch.prim.GetAttr %self["inner"] : !torch.nn.Module<"Net"> -> !torch.nn.Module<"Inner"> loc("net.py":19:6)
  %1 = tor -> ten.relu %x : !torch.tensor -> !torch.tensor loc("net.py":18:4)
  %2 = torch.prim.CallMethod %0["forward"] (%1) : !torch.nn.Module<"Inner">, (!torch.tensor) -> !torch.tensor loc("net.py":19:6)
  %3 = torch.aten.layer_norm %2, %shape, %none, %none, %eps, %true : !torch.tensor, !torch.list<int>, !torch.none, !torch.none, !torch.float, !torch.bool -> !torch.tensor loc("net.py":20:6)
  %4 = torch.aten.softmax.int %3, %int-1, %none : !torch.tensor, !torch.int, !torch.none -> !torch.tensor loc("net.py":21:6)
  return %4 : !torch.tensor
}
