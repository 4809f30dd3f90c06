func.func @f(%x: !torch.tensor {torch.type_bound = !torch.vtensor<[2,3],f32>}) -> !torch.tuple<tensor, none> {
  %none = torch.constant.none
  %0 = torch.prim.TupleConstruct %x, %none : !torch.tensor, !torch.none -> !torch.tuple<tensor, none>
  return %0 : !torch.tuple<tensor, none>
}
