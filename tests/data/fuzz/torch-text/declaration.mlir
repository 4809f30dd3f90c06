func.func private @f(!torch.vtensor<[?,3],f32>, !torch.tensor<*,si64>) -> !torch.tensor
