#include "conformance/runner/worker.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iostream>
#include <string>
#include <unistd.h>

namespace ts::conformance {

namespace {

void send(int descriptor, std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  for (size_t sent = 0; sent < line.size();) {
    const ssize_t n = write(descriptor, line.data() + sent, line.size() - sent);
    if (n < 0 && errno != EINTR) _exit(3); // nobody listens any more
    if (n > 0) sent += static_cast<size_t>(n);
  }
}

} // namespace

int work(const Settings& settings, int report_descriptor) {
  std::unique_ptr<Bench> bench;
  try {
    judge::spec();
    const auto opening = [&](const std::string& backend) { send(report_descriptor, "opening " + backend); };
    bench = std::make_unique<Bench>(settings, opening);
  } catch (const std::exception& problem) {
    send(report_descriptor, std::string("refused ") + problem.what());
    return 2;
  }
  send(report_descriptor, "hello");
  for (std::string line; std::getline(std::cin, line);) {
    size_t backend = 0;
    const std::string_view text = std::string_view(line).substr(std::min<size_t>(line.size(), 4));
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), backend);
    if (!line.starts_with("run ") || problem != std::errc() || *end != ' ') return 3;
    send(report_descriptor, "begin");
    const Outcome outcome = bench->run(backend, std::string(end + 1));
    std::cout.flush();
    send(report_descriptor, "end " + to_json(outcome));
  }
  return 0;
}

} // namespace ts::conformance
