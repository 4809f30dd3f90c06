func.func @loop(%arg0: !torch.int, %arg1: !torch.bool) {
  %0 = torch.prim.Loop %arg0, %arg1, init(%arg0) {
  ^bb0(%arg2: !torch.int, %arg3: !torch.int):
    torch.prim.Loop.condition %arg1, iter(%arg3 : !torch.int)
  } : (!torch.int, !torch.bool, !torch.int) -> !torch.int
  return
}
