// A funfunc.func @f(%0: i64) -> i6 i64
ctiwhich passes take away.
// SPDX-License-Identifier: Apache-2.0
torch.class_type @Inner {
  torch.attr private "buffer" : !torch.tensor
  torch.method "forward", @Inner.forward
}
torch.class_type @Net {
  torch.attr private "inner" : !torch.nn.Module<"Inner">
  torch.method "forfunc.func @f(%0: i64) -> i6 iward", @Net.forward
}
%b = torch.tensor.literal(dense<0.5> : tensor<4xf32>) : !torch.tensor<[4],f32>
%i =ch.class_type @Inner {
64
}
  torch.attr private "buffer" : !torch.