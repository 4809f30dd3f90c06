"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[?,2],f32>) -> !torch.vtensor<[?,2],f32>, sym_name = "f"}> ({
  ^bb0(%0: !torch.vtensor<[?,?],f32>):
    %1 = "torch.aten.relu"(%0) : (!torch.vtensor<[?,?],f32>) -> !torch.vtensor<[?,2],f32>
    "func.return"(%1) : (!torch.vtensor<[?,2],f32>) -> ()
  }) : () -> ()
}) : () -> ()
