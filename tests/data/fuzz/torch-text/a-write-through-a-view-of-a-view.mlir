!t = !torch.vtensor
func.func @forward() -> !t {
%none = torch.constant.none
%false = torch.constant.bool false
%true = torch.constant.bool true
%half = torch.constant.float 0.5
%int-1 = torch.constant.int -1
%int0 = torch.constant.int 0
%int1 = torch.constant.int 1
%int2 = torch.constant.int 2
%int3 = torch.constant.int 3
%x = torch.vtensor.literal(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : !t
%v2 = torch.vtensor.literal(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : !t
%i = torch.vtensor.literal(dense<"0x000000000000000001000000000000000200000000000000030000000000000004000000000000000500000000000000"> : tensor<2x3xsi64>) : !t
%i2 = torch.vtensor.literal(dense<2> : tensor<2x3xsi64>) : !t
%c = torch.aten.clone %x, %none : !t, !torch.none -> !t
%v = torch.aten.t %c : !t -> !t
%row = torch.aten.select.int %v, %int0, %int1 : !t, !torch.int, !torch.int -> !t
%w = torch.aten.fill_.Scalar %row, %half : !t, !torch.float -> !t
%r = torch.aten.add.Tensor %c, %v2, %int1 : !t, !t, !torch.int -> !t
return %r : !t
}
