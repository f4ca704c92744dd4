// Memory, copies, instances and capabilities.
#include "conformance/door/door.h"
#include "runtime/backend/layers.h"
#include "runtime/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <string_view>

namespace ts::conformance {

namespace {

class Buffer {
public:
  Buffer(Device& device, uint64_t bytes) : device_(device), handle_(device.allocate(bytes)) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { device_.release(handle_); }
  operator ts_buffer() const { return handle_; }

private:
  Device& device_;
  ts_buffer handle_;
};

std::vector<std::byte> bytes_of(Device& device, ts_buffer buffer, size_t size) {
  std::vector<std::byte> bytes(size);
  device.copy_out(bytes, buffer);
  device.synchronize();
  return bytes;
}

std::shared_ptr<Backend> open_again(const Device& device) {
  try {
    return open_backend(device.backend().name());
  } catch (const BackendError& problem) {
    throw NotApplicable{problem.what()}; // behind a layer the name is not the backend's
  }
}

void table_is_whole(Device& device) {
  const ts_backend& table = device.backend().table();
  constexpr size_t kShown = 60;
  const std::string_view name = table.name;
  const auto odd = std::find_if(name.begin(), name.end(), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_';
  });
  hold(odd == name.end(),
       fmt::format("the name '{}' has '{}' in it", name.substr(0, kShown), odd == name.end() ? ' ' : *odd));
  hold(table.version != nullptr && *table.version != '\0', "the table has no version");
}

void unknown_option(Device& device) {
  const ts_backend& table = innermost(device.backend()).table();
  ts_instance* instance = nullptr;
  ts_error error = make_error();
  const ts_status status = table.open("no_such_option=1", &instance, &error);
  if (status == TS_OK) table.close(instance);
  hold_status(status, TS_INVALID_ARGUMENT, "open with the option 'no_such_option=1'");
  hold(std::strstr(error.message, "no_such_option") != nullptr,
       fmt::format("the message '{}' does not name the option", error.message));
}

void instances_are_independent(Device& device) {
  const Buffer mine(device, 64);
  device.copy_in(mine, pattern(64, 1));
  {
    Device other(open_again(device), device.index());
    const Buffer theirs(other, 64);
    other.copy_in(theirs, pattern(64, 2));
    hold(bytes_of(other, theirs, 64) == pattern(64, 2), "a second instance reads back other bytes than it wrote");
  }
  hold(bytes_of(device, mine, 64) == pattern(64, 1), "closing a second instance changed a buffer of the first");
}

void alignment_is_a_power_of_two(Device& device) {
  const ts_backend& table = device.backend().table();
  ts_device_info info{};
  info.size = sizeof info;
  ts_error error = make_error();
  hold_status(table.device_info(device.backend().instance(), device.index(), &info, &error), TS_OK, "device_info");
  hold(std::memchr(info.name, 0, sizeof info.name) != nullptr, "the name of the device has no end");
  const int32_t count = table.device_count(device.backend().instance());
  for (int32_t index = 0; index < count; ++index) {
    ts_device_info each{};
    each.size = sizeof each;
    hold_status(table.device_info(device.backend().instance(), index, &each, &error), TS_OK,
                fmt::format("device_info of device {} of {}", index, count));
  }
  hold(info.alignment >= 8 && (info.alignment & (info.alignment - 1)) == 0,
       fmt::format("alignment {}", info.alignment));
  if (table.map == nullptr) return;
  for (const uint64_t bytes : {1, 7, 64, 1000}) {
    const Buffer buffer(device, bytes);
    void* address = nullptr;
    hold_status(table.map(device.backend().instance(), buffer, &address, &error), TS_OK, "map");
    hold(reinterpret_cast<uintptr_t>(address) % info.alignment == 0,
         "the base of an allocation is not aligned as device_info says");
    table.unmap(device.backend().instance(), buffer);
  }
}

void unknown_device(Device& device) {
  const ts_backend& table = device.backend().table();
  for (const int32_t index : {-1, table.device_count(device.backend().instance())}) {
    ts_buffer buffer = 0;
    ts_error error = make_error();
    hold_status(table.allocate(device.backend().instance(), index, 16, &buffer, &error), TS_INVALID_ARGUMENT,
                fmt::format("allocate on device {}", index));
  }
}

void buffers_share_nothing(Device& device) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::set<ts_buffer> handles;
  for (unsigned k = 0; k < 64; ++k) {
    buffers.push_back(std::make_unique<Buffer>(device, 1 + 13 * k));
    hold(handles.insert(*buffers.back()).second, "two live buffers have one handle");
    device.copy_in(*buffers.back(), pattern(1 + 13 * k, k));
  }
  for (unsigned k = 0; k < 64; ++k)
    hold(bytes_of(device, *buffers[k], 1 + 13 * k) == pattern(1 + 13 * k, k),
         fmt::format("buffer {} of 64 lost its bytes to another", k));
}

void zero_bytes(Device& device) {
  const Buffer empty(device, 0), beside(device, 16);
  device.copy_in(empty, {});
  hold(bytes_of(device, empty, 0).empty(), "");
}

void too_much_memory(Device& device) {
  const ts_backend& table = device.backend().table();
  constexpr uint64_t kBytes = uint64_t{1} << 60;
  ts_buffer buffer = 0;
  ts_error error = make_error();
  hold_status(table.allocate(device.backend().instance(), device.index(), kBytes, &buffer, &error), TS_OUT_OF_MEMORY,
              "allocate 2^60 bytes");
  hold(error.value == static_cast<int64_t>(kBytes),
       fmt::format("the error's value is {}, not the bytes asked for", error.value));
  zero_bytes(device);
}

void copy_in_reads_at_once(Device& device) {
  const Buffer buffer(device, 256);
  std::vector<std::byte> source = pattern(256, 3);
  device.copy_in(buffer, source);
  std::fill(source.begin(), source.end(), std::byte{0xee});
  hold(bytes_of(device, buffer, 256) == pattern(256, 3), "copy_in read its source after it returned");
}

void copy_out_takes_its_turn(Device& device) {
  const Buffer buffer(device, 256);
  std::vector<std::byte> first(256), second(256);
  device.copy_in(buffer, pattern(256, 4));
  device.copy_out(first, buffer);
  device.copy_in(buffer, pattern(256, 5));
  device.copy_out(second, buffer);
  device.synchronize();
  hold(first == pattern(256, 4), "a copy_out did not give what the queue had written before it");
  hold(second == pattern(256, 5), "a second copy_out did not give what was written last");
}

void copy_between_buffers(Device& device) {
  const ts_backend& table = device.backend().table();
  const Buffer from(device, 64), to(device, 64);
  device.copy_in(from, pattern(64, 6));
  device.copy_in(to, pattern(64, 7));
  ts_error error = make_error();
  hold_status(table.copy(device.backend().instance(), 0, to, 5, 0, from, 17, 11, &error), TS_OK, "copy");
  std::vector<std::byte> want = pattern(64, 7), source = pattern(64, 6);
  std::copy_n(source.begin() + 17, 11, want.begin() + 5);
  hold(bytes_of(device, to, 64) == want, "copy between two buffers moved other bytes");
  hold(bytes_of(device, from, 64) == source, "copy changed its source");
}

void ranges_outside(Device& device) {
  const ts_backend& table = device.backend().table();
  ts_instance* self = device.backend().instance();
  const Buffer buffer(device, 32), other(device, 32);
  device.copy_in(buffer, pattern(32, 8));
  std::vector<std::byte> host = pattern(64, 9);
  ts_error error = make_error();
  hold_status(table.copy_in(self, 0, buffer, 24, host.data(), 9, &error), TS_INVALID_ARGUMENT, "copy_in past the end");
  hold_status(table.copy_out(self, 0, host.data(), buffer, 33, 1, &error), TS_INVALID_ARGUMENT,
              "copy_out past the end");
  hold_status(table.copy(self, 0, buffer, 0, 0, other, 16, 17, &error), TS_INVALID_ARGUMENT, "copy past the end");
  hold_status(table.copy_in(self, 0, buffer, ~uint64_t{0} - 3, host.data(), 8, &error), TS_INVALID_ARGUMENT,
              "copy_in whose end overflows");
  hold_status(table.copy_in(self, 0, buffer, 32, host.data(), 0, &error), TS_OK, "copy_in of 0 bytes");
  hold(bytes_of(device, buffer, 32) == pattern(32, 8), "a refused copy changed a byte");
}

void map_shows_the_bytes(Device& device) {
  const ts_backend& table = device.backend().table();
  if (table.map == nullptr) throw NotApplicable{"no map"};
  const Buffer buffer(device, 64);
  device.copy_in(buffer, pattern(64, 10));
  void* address = nullptr;
  ts_error error = make_error();
  hold_status(table.map(device.backend().instance(), buffer, &address, &error), TS_OK, "map");
  hold(std::memcmp(address, pattern(64, 10).data(), 64) == 0, "map shows other bytes than the queue wrote");
  std::memcpy(address, pattern(64, 11).data(), 64);
  table.unmap(device.backend().instance(), buffer);
  hold(bytes_of(device, buffer, 64) == pattern(64, 11), "what was written through map is not in the buffer");
}

void import_deletes_once(Device& device) {
  const ts_backend& table = device.backend().table();
  if (table.import == nullptr) throw NotApplicable{"no import"};
  alignas(64) static unsigned char memory[256];
  int deleted = 0;
  ts_buffer buffer = 0;
  ts_error error = make_error();
  const auto count = [](void* context) { ++*static_cast<int*>(context); };
  hold_status(table.import(device.backend().instance(), device.index(), memory, sizeof memory, count, &deleted, &buffer,
                           &error),
              TS_OK, "import");
  device.copy_in(buffer, pattern(256, 12));
  hold(bytes_of(device, buffer, 256) == pattern(256, 12), "an imported buffer does not read back");
  hold(deleted == 0, "the deleter ran before release");
  device.release(buffer);
  device.synchronize();
  hold(deleted == 1, fmt::format("after release the deleter has run {} times", deleted));
}

} // namespace

std::vector<DoorCheck> memory_checks() {
  return {{"door/table/is_whole", {"backend.1", "backend.2", "backend.5"}, table_is_whole},
          {"door/table/unknown_option", {"backend.4"}, unknown_option},
          {"door/table/two_instances", {"backend.8"}, instances_are_independent},
          {"door/memory/alignment", {"backend.9"}, alignment_is_a_power_of_two},
          {"door/memory/unknown_device", {"backend.15"}, unknown_device},
          {"door/memory/buffers_share_nothing", {"backend.10"}, buffers_share_nothing},
          {"door/memory/zero_bytes", {"backend.11"}, zero_bytes},
          {"door/memory/too_much", {"backend.12"}, too_much_memory},
          {"door/copy/in_reads_at_once", {"backend.16"}, copy_in_reads_at_once},
          {"door/copy/out_takes_its_turn", {"backend.17"}, copy_out_takes_its_turn},
          {"door/copy/between_buffers", {"backend.18"}, copy_between_buffers},
          {"door/copy/ranges_outside", {"backend.19"}, ranges_outside},
          {"door/memory/map", {"backend.46"}, map_shows_the_bytes},
          {"door/memory/import", {"backend.47"}, import_deletes_once}};
}

} // namespace ts::conformance
