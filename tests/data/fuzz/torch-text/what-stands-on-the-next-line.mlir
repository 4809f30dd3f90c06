{-# dialect_resources: {builtin: {"a b": "0x00", c: "0x01"}} #-}
#m = 1 // "(
"func.return"() : () -> ()
%0 = "torch.constant.none"() : () -> !torch.none
other.x	// (%0
torch.x // %0
%1:2 = other.y %0#0 {a = "%0 }" // >
} -> >= 3
torch.use %1#1 : ?
torch.constant.none
