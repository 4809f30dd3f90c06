func.func @h(%arg0: !torch.bool) -> !torch.int {
  %0 = torch.prim.If %arg0 -> (!torch.int) {
    %1 = torch.constant.int 1 {test}
    torch.prim.If.yield %1 : !torch.int
  } else {
    %2 = torch.operator "a.b"(%arg0) {k = [1, dense<[1, 2]> : tensor<2xsi64>]} : (!torch.bool) -> !torch.int
    torch.prim.If.yield %2 : !torch.int
  }
  return %0 : !torch.int
}
