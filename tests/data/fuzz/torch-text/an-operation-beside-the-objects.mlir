toruto:rch.slo`t "n", %true ch.class_type @c {
  ptoÿÿÿÿÿÿÿÿÿÿÿÿÿ.attr’’’’’’’’’’’’’", @f
}
%true = torch.constantass_type @c {
  ptoÿÿÿÿÿÿÿÿÿÿÿÿÿ.attr’’’’’’’’’’’’’", @f
}
%true = torch.constant.bool true
torch.nn_module {
  func.retuto:rch.slot "n", %true   func.retuto:rch.slo`t "n", %true : !torch.bool
} : !toRch.nn.Module<"c">
