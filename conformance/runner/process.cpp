#include "conformance/runner/process.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace ts::conformance {

namespace {

constexpr size_t kNoiseKept = size_t{64} * 1024;
constexpr int kReportDescriptor = 3;

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    read = ends[0];
    write = ends[1];
  }
};

// What a worker reads: a socket, whose writer is not signalled when nobody reads any more.
struct Input {
  int read = -1, write = -1;
  Input() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "socketpair");
    read = ends[0];
    write = ends[1];
  }
};

std::vector<std::string> arguments_of(const std::string& program, const Settings& settings) {
  std::vector<std::string> arguments = {program, "worker", "--seed", std::to_string(settings.seed)};
  for (const std::string& backend : settings.backends) arguments.insert(arguments.end(), {"--backend", backend});
  for (const std::string& layer : settings.layers) arguments.insert(arguments.end(), {"--layer", layer});
  return arguments;
}

std::vector<char*> environment_without_gtest() {
  std::vector<char*> kept;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("GTEST_")) kept.push_back(*entry);
  kept.push_back(nullptr);
  return kept;
}

void make_nonblocking(int descriptor) { fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

// Appends what can be read now; false at the end.
bool drain(int descriptor, std::string& into) {
  std::array<char, 16384> buffer{};
  while (true) {
    const ssize_t n = read(descriptor, buffer.data(), buffer.size());
    if (n > 0)
      into.append(buffer.data(), static_cast<size_t>(n));
    else if (n == 0)
      return false;
    else if (errno != EINTR)
      return errno == EAGAIN;
  }
}

} // namespace

Process::Process(const std::string& program, const Settings& settings) {
  const Input input;
  const Pipe report, noise;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, noise.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, noise.write, STDERR_FILENO);
  // A descriptor that already has this number would keep its close-on-exec flag: then it comes from a copy.
  const int report_copy = fcntl(report.write, F_DUPFD_CLOEXEC, kReportDescriptor + 10);
  posix_spawn_file_actions_adddup2(&actions, report_copy, kReportDescriptor);
  std::vector<std::string> arguments = arguments_of(program, settings);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::vector<char*> environment = environment_without_gtest();
  const int problem = posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  for (const int descriptor : {input.read, report.write, report_copy, noise.write}) close(descriptor);
  input_ = input.write;
  report_ = report.read;
  noise_ = noise.read;
  for (const int descriptor : {input_, report_, noise_}) make_nonblocking(descriptor);
  if (problem != 0) {
    pid_ = -1;
    throw std::system_error(problem, std::generic_category(), program);
  }
}

Process::~Process() {
  kill_hard();
  wait_end();
  for (const int descriptor : {input_, report_, noise_})
    if (descriptor >= 0) close(descriptor);
}

void Process::send(const std::string& line) {
  pending_ += line + "\n";
  write_pending();
}

void Process::write_pending() {
  while (!pending_.empty()) {
    const ssize_t n = ::send(input_, pending_.data(), pending_.size(), MSG_NOSIGNAL);
    if (n > 0)
      pending_.erase(0, static_cast<size_t>(n));
    else if (errno == EAGAIN)
      return;
    else if (errno != EINTR)
      pending_.clear(); // it died; its reports say so
  }
}

void Process::close_input() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

bool Process::read_reports(std::vector<std::string>& lines) {
  const bool open = drain(report_, partial_);
  size_t at = 0;
  for (size_t end; (end = partial_.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(partial_.substr(at, end - at));
  partial_.erase(0, at);
  return open;
}

void Process::read_noise() {
  if (noise_ < 0) return;
  if (!drain(noise_, noise_text_)) {
    close(noise_);
    noise_ = -1;
  }
  if (noise_text_.size() > kNoiseKept) noise_text_.erase(0, noise_text_.size() - kNoiseKept);
}

void Process::kill_hard() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

std::string Process::wait_end() {
  if (pid_ <= 0) return {};
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  pid_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fmt::format("exit status {}", WEXITSTATUS(status));
  return {};
}

} // namespace ts::conformance
