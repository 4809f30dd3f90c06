func.func @shapes(%arg0: !torch.vtensor<[?],f32>) {
  %0 = torch.symbolic_int "s0" {min_val = 2, max_val = 9} : !torch.int
  torch.bind_symbolic_shape %arg0, [%0], affine_map<()[s0] -> (s0 * 2)> : !torch.vtensor<[?],f32>
  %1 = torch.vtensor.literal(dense_resource<blob> : tensor<1xf32>) : !torch.vtensor<[1],f32>
  %2 = arith.constant 1 : i64
  return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F"
    }
  }
#-}
