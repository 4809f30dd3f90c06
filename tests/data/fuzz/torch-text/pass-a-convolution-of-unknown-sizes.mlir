func.func @f(%x: !torch.vtensor, %w: !torch.vtensor<[8,3,5,5],f32>) -> !torch.vtensor {
  %none = torch.constant.none
  %false = torch.constant.bool false
  %int1 = torch.constant.int 1
  %l = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %c = torch.tensor_static_info_cast %x : !torch.vtensor to !torch.vtensor<[?,?,?,?],f32>
  %0 = torch.aten.convolution %c, %w, %none, %l, %l, %l, %false, %l, %int1 : !torch.vtensor<[?,?,?,?],f32>, !torch.vtensor<[8,3,5,5],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.list<int>, !torch.int -> !torch.vtensor
  return %0 : !torch.vtensor
}
