torch.global_slot "private" @s : !torch.dict<str, tuple<int, float>>
torch.global_slot.module_initializer {
  %0 = torch.constant.device "cpu"
  torch.initialize.global_slots [ @s(%0 : !torch.Device) ]
}
