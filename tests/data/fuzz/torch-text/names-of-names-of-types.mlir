!a = !torch.tuple<tensor, tensor>
!b = !torch.tuple<!a, !a>
!c = !torch.tuple<!b, !b>
!d = !torch.tuple<!c, !c>
%0 = other.x
torch.use %0 : !d
torch.use %0, %0 : !d, !d
