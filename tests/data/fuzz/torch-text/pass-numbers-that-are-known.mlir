func.func @f(%x: !torch.vtensor<[4,?],f32>) -> !torch.vtensor<[4,?],f32> {
  %int0 = torch.constant.int 0
  %n = torch.aten.size.int %x, %int0 : !torch.vtensor<[4,?],f32>, !torch.int -> !torch.int
  %m = torch.aten.mul.int %n, %n : !torch.int, !torch.int -> !torch.int
  %b = torch.aten.gt.int %m, %n : !torch.int, !torch.int -> !torch.bool
  %r = torch.prim.If %b -> (!torch.vtensor<[4,?],f32>) {
    %0 = torch.aten.add.Scalar %x, %m, %n : !torch.vtensor<[4,?],f32>, !torch.int, !torch.int -> !torch.vtensor<[4,?],f32>
    torch.prim.If.yield %0 : !torch.vtensor<[4,?],f32>
  } else {
    torch.prim.If.yield %x : !torch.vtensor<[4,?],f32>
  }
  return %r : !torch.vtensor<[4,?],f32>
}
