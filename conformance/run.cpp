#include "conformance/run.h"

#include <fmt/format.h>

#include <utility>

namespace ts::conformance {

namespace {
#if defined(TS_SANITIZE)
constexpr uint64_t kWorkspaceGuard = 0; // the sanitizer guards the end, and sees reads as well
#else
constexpr uint64_t kWorkspaceGuard = 64;
#endif
constexpr uint64_t kWorkspaceMax = uint64_t{1} << 32; // no case of the suite has that many bytes of operands
} // namespace

Run::Run(const Prepared& prepared, const Arrangement& arrangement, Poison poison, Device& device)
    : prepared_(prepared), device_(device), memory_(prepared, arrangement, poison), poison_(poison) {
  for (const judge::AttributeRow& row : prepared.c.op->attributes) {
    const auto slot = static_cast<size_t>(row.slot);
    if (attributes_.size() <= slot) attributes_.resize(slot + 1);
    attributes_[slot] = prepared.c.attributes.at(row.name);
  }
  call_.size = sizeof call_;
  call_.op = prepared.c.op->id;
  call_.device = device.index();
  call_.queue = device.queue();
  call_.serial = device.next_serial();
  call_.attributes = attributes_.data();
  call_.attribute_count = static_cast<int32_t>(attributes_.size());
  describe();
}

Run::~Run() { release(); }

void Run::release() {
  for (Memory::Region& region : memory_.regions())
    if (region.handle != 0) device_.release(std::exchange(region.handle, 0));
  if (workspace_ != 0) device_.release(std::exchange(workspace_, 0));
}

void Run::describe() {
  outputs_ = memory_.door_outputs();
  inputs_ = memory_.door_inputs();
  call_.outputs = outputs_.data();
  call_.output_count = static_cast<int32_t>(outputs_.size());
  call_.inputs = inputs_.data();
  call_.input_count = static_cast<int32_t>(inputs_.size());
}

void Run::upload(uint64_t workspace_bytes) {
  for (Memory::Region& region : memory_.regions()) {
    region.handle = device_.allocate(region.before.size());
    device_.copy_in(region.handle, region.before);
  }
  describe();
  if (workspace_bytes == 0) return;
  if (workspace_bytes > kWorkspaceMax)
    throw DoorFault{"query", fmt::format("the query asks for {} bytes of workspace", workspace_bytes)};
  // What a kernel finds in its workspace is nothing to rely on, and what lies behind it is not its own.
  workspace_before_.assign(workspace_bytes + kWorkspaceGuard,
                           poison_ == Poison::ones ? std::byte{0xff} : std::byte{0x5b});
  workspace_ = device_.allocate(workspace_before_.size());
  device_.copy_in(workspace_, workspace_before_);
  call_.workspace = workspace_;
  call_.workspace_bytes = workspace_bytes;
}

ts_status Run::enqueue(ts_error& error) { return device_.call(prepared_.c.op->family_id, call_, error); }

void Run::download() {
  for (Memory::Region& region : memory_.regions()) {
    region.after.assign(region.before.size(), std::byte{0});
    device_.copy_out(region.after, region.handle);
  }
  workspace_after_.assign(workspace_before_.size(), std::byte{0});
  if (workspace_ != 0) device_.copy_out(workspace_after_, workspace_);
  device_.synchronize();
}

std::string Run::damage(bool frozen) const {
  for (size_t b = call_.workspace_bytes; b < workspace_after_.size(); ++b)
    if (workspace_after_[b] != workspace_before_[b])
      return fmt::format("the call wrote byte {}, past its workspace of {} bytes", b, call_.workspace_bytes);
  return memory_.damage(frozen);
}

} // namespace ts::conformance
