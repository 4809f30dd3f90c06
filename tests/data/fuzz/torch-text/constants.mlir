func.func @f() -> (!torch.int, !torch.optional<list<int>>) {
  %int-1 = torch.constant.int -1
  %0 = torch.prim.ListConstruct : () -> !torch.list<int>
  %1 = torch.derefine %0 : !torch.list<int> to !torch.optional<list<int>>
  return %int-1, %1 : !torch.int, !torch.optional<list<int>>
}
