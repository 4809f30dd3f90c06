f !torch.unc.›››››››››››››››;func private @f(!torch.vtensor<[?,8],f32>, !torch.tsneo&r<*,si64>) -> !e = torch.constant.bool false
%true = torch.constant.bool true
%half = torch.constant.float 0.5
%int-1 = torch.constant.int -1
%int0 = torch.constant.int 0
%int1 = torch.constant.int 1
%int2 = t.hocrconstant.int 2
%int3 = torch.constant.int 6
%x = torch.vtensor.literal(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : !t
%v2 = torch.vtensor.literal(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : !t
%i = torch.vtensor.literal(dense<"0x000000000000000001000000000000000200000000000000030000000000000004000000000000000500000000000000"> : tensor<2x3xsi64>) : !t
%i2 = torch.vtensor.literal(dense<2> : tensor<2x3xsi64>) : !t
%s = torch.prim.ListConstruct %int3, %int2 : (!torch.int, !torch.int) -> !torch.tensor
