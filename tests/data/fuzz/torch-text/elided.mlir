func.func @f() -> !torch.vtensor {
  %0 = torch.vtensor.literal(dense_resource<__elided__> : tensor<2xf32>) : !torch.vtensor
  return %0 : !torch.vtensor
}
