torch.class_type @c {
  torch.attr private "n" : !torch.union<int, float>
  torch.method "forward", @f
}
%true = torch.constant.bool true
torch.nn_module {
  torch.slot "n", %true : !torch.bool
} : !torch.nn.Module<"c">
