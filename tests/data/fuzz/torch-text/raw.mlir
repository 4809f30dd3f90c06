func.func @f(%0: i64) -> i64 {
  %1 = arith.addi %0, %0 : i64
  %2 = scf.while (%a = %1) : (i64) -> i64 {
    scf.yield %a : i64
  }
  return %2 : i64
}
