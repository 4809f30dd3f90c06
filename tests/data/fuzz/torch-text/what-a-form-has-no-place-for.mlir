!list = !torch.list<int>
!fn = (i32) -> i32
"torch.attr"() {name = 5, type = i64} : () -> ()
"torch.method"() {name = "private", function = @a::@"b c", isPrivate = 5} : () -> ()
%f = "torch.constant.float"() {value = 0x3C01 : f16} : () -> !torch.float
%g = torch.constant.float 0x7FF8000000000001
%h = "torch.x"() {"$a" = dense_resource<"b c"> : tensor<2x 3xf32>, b = !fn} : () -> ((i32) -> i32)
"torch.shape.calculate"() ({}, {}) : () -> ()
%k = "torch.prim.DictConstruct"(%f, %g, %f) : (!torch.float, !torch.float, !torch.float) -> !torch.dict<str, list<!list>>
"func.func"() ({
^bb0(%x: !fn):
  "func.return"() : () -> ()
}) {sym_name = "f", sym_visibility = "a b", function_type = (!fn) -> (), arg_attrs = [5]} : () -> ()
func.func nested @g(%x: !list {a = [{}, {b}]} loc("x")) attributes {"c d" = unit} {
  "torch.initialize.global_slots"(%x) {slotSymNames = [@a, "b"]} : (!list) -> ()
}
