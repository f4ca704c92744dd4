// Every reader of text is total: whatever stands there, it gives a value or a typed error that says what is wrong. Real
// texts are damaged by flipping, cutting, doubling and inserting bytes, many thousand times, from fixed seeds.
#include "conformance/coverage.h"
#include "conformance/expectations.h"
#include "conformance/filter.h"
#include "conformance/golden.h"
#include "conformance/outcome.h"
#include "conformance/prepare.h"
#include "conformance/runner/found.h"
#include "conformance/select/select.h"
#include "conformance/tensor/tensor_select.h"
#include "runtime/backend/layers.h"
#include "runtime/errors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

namespace ts::conformance {
namespace {

constexpr int kDraws = 20'000;
constexpr double kSeconds = 5;

using Random = std::mt19937_64;

std::string file_text(const std::string& path) {
  std::ifstream file(judge::project_root() + "/" + path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

std::string damaged(std::string text, const std::vector<std::string>& texts, Random& random) {
  static const std::array<std::string, 14> kPieces = {"-1",
                                                      "9223372036854775807",
                                                      "99999999999999999999",
                                                      "1e999",
                                                      "0",
                                                      "/",
                                                      "=",
                                                      ",",
                                                      "_",
                                                      "\n",
                                                      std::string(1, '\0'),
                                                      "#",
                                                      "nan",
                                                      "()"};
  const auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); };
  for (size_t edits = 1 + below(3); edits > 0; --edits) {
    const size_t at = below(text.size() + 1), length = 1 + below(std::min<size_t>(text.size() - at + 1, 1 + below(40)));
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(at, kPieces[below(kPieces.size())]); break;
      case 4: text.insert(at, 1, static_cast<char>(random())); break;
      default: {
        const std::string& other = texts[below(texts.size())];
        const size_t from = below(other.size() + 1);
        text.replace(at, length, other, from, 1 + below(40));
      }
    }
  }
  return text;
}

std::string shown(const std::string& text) {
  return nlohmann::json(text.substr(0, 2000)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Reads damaged texts; how many were read as a value. Errors of other types end the test.
template <class Read> int survives(const std::vector<std::string>& texts, int draws, Read&& read) {
  Random random(1);
  const auto begin = std::chrono::steady_clock::now();
  int values = 0, refusals = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const std::string text = damaged(texts[random() % texts.size()], texts, random);
    try {
      read(text);
      ++values;
    } catch (const Error& problem) {
      ++refusals;
      EXPECT_STRNE(problem.what(), "");
    } catch (const judge::InputError& problem) {
      ++refusals;
      EXPECT_STRNE(problem.what(), "");
    } catch (const std::exception& problem) {
      ADD_FAILURE() << "an error without a type, '" << problem.what() << "', for " << shown(text);
      return values;
    }
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
#if !defined(TS_SANITIZE)
  EXPECT_LT(seconds, kSeconds * 4) << "five seconds on an idle machine";
#endif
  std::printf("%d values, %d refusals, %.2f s\n", values, refusals, seconds);
  EXPECT_GT(refusals, draws / 20);
  return values;
}

std::vector<std::string> some_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> some;
    const std::vector<std::string> all = select_kernel_cases(judge::spec()).names;
    for (size_t k = 0; k < all.size(); k += 29)
      if (!all[k].starts_with("door/")) some.push_back(all[k]);
    return some;
  }();
  return names;
}

TEST(Readers, CaseNames) {
  // TS_CITES(layout.15, layout.21)
  std::vector<Case> small;
  const int values = survives(some_names(), kDraws, [&](const std::string& text) {
    const Case c = parse_case(text, judge::spec());
    if (c.name() != text) ADD_FAILURE() << text << " reads back as " << c.name();
    int64_t elements = judge::count_of(result_shape(c, 0));
    for (const Shape& shape : c.shapes) elements = std::max(elements, judge::count_of(shape));
    if (elements <= 512 && small.size() < 400 &&
        std::find(c.operands.begin(), c.operands.end(), Layout::pitched) == c.operands.end())
      small.push_back(c);
  });
  EXPECT_GT(values, 100);
  // A name that is read can be prepared, or is refused.
  for (const Case& c : small) {
    try {
      prepare(c, judge::spec(), 0);
    } catch (const Error&) {
    } catch (const judge::InputError&) {
    } catch (const std::exception& problem) {
      ADD_FAILURE() << c.name() << ": " << problem.what();
    }
  }
}

TEST(Readers, FindingsAndTheirNames) {
  const std::string corpus = file_text("conformance/found/cases.txt");
  survives({corpus.substr(0, 2000)}, 4000,
           [](const std::string& text) { parse_found(text, "cases.txt", judge::spec()); });
  std::vector<std::string> names;
  for (const std::string& name : some_names()) names.push_back("found/17/" + name);
  survives(names, kDraws, [](const std::string& text) { found_named(text); });
}

TEST(Readers, FiltersAndShards) {
  const std::vector<std::string> names = some_names();
  const std::vector<std::string> few(names.begin(), names.begin() + 20);
  survives({"elementwise/add/*", "*/f32/*,scan/*", "*out=narrowed/into_view*", few[0], few[7]}, kDraws,
           [&](const std::string& text) { Filter(text).apply(few); });
  survives({"0/1", "3/8", "12/345"}, kDraws, [](const std::string& text) {
    const Shard shard = Shard::parse(text);
    if (shard.index < 0 || shard.index >= shard.total) ADD_FAILURE() << text;
  });
}

TEST(Readers, GoldenFiles) {
  // TS_CITES(golden.1, golden.3)
  const std::string whole = file_text("golden/ops/add.txt"), sort = file_text("golden/ops/sort.txt");
  const auto cut = [](const std::string& text, int cases) {
    size_t end = 0;
    for (int k = 0; k < cases; ++k) end = text.find("\nend\n", end) + 5;
    return text.substr(0, end) + fmt::format("end of file, {} cases\n", cases);
  };
  const std::vector<std::string> texts = {cut(whole, 2), cut(sort, 3), cut(file_text("golden/ops/var.txt"), 3)};
  for (const std::string& text : texts) EXPECT_NO_THROW(judge::parse_golden(text, "golden.txt"));
  survives(texts, kDraws, [](const std::string& text) { judge::parse_golden(text, "golden.txt"); });
}

TEST(Readers, Expectations) {
  survives({"# known\nelementwise/add/f32/*   # the driver rounds up\n", "*/f16/* # no halves\n\nscan/*#x\n"}, kDraws,
           [](const std::string& text) { parse_expectations(text, "cpu.txt"); });
}

TEST(Readers, CitationRules) {
  const std::string text = file_text("conformance/cites.txt");
  survives({text.substr(0, 1500)}, kDraws,
           [](const std::string& rules) { parse_citation_rules(rules, "cites.txt", judge::spec()); });
}

TEST(Readers, Outcomes) {
  Outcome outcome;
  outcome.name = some_names().front();
  outcome.verdict = Verdict::fail;
  outcome.message = "element (0,1): got 2 \"two\"\n";
  outcome.cites = {"add.1", "layout.7"};
  outcome.launches["add/vector"] = 3;
  survives({to_json(outcome)}, kDraws, [](const std::string& text) { outcome_from_json(text); });
}

TEST(Readers, OptionsOfBackends) {
  for (const char* backend : {"emulator", "cpu"}) {
    const bool emulator = std::string(backend) == "emulator";
    survives({"schedule=forward,profile=h100,threads=2", "shuffle=7,devices=2", "memory=64", "threads=3"},
             emulator ? kDraws : 2000,
             [&](const std::string& text) { open_backend(fmt::format("{}:{}", backend, text)); });
  }
}

TEST(Readers, OptionsOfLayers) {
  const std::shared_ptr<Backend> cpu = open_backend("cpu");
  survives({"fault:allocate=3,copy=2", "fault:launch=17", "validate", "census", "delay"}, kDraws,
           [&](const std::string& text) { add_layers(cpu, {text}); });
}

TEST(Readers, TheCompiledSpec) {
  nlohmann::json document = nlohmann::json::parse(file_text("spec/generated/spec.json"));
  const std::string op = "clamp";
  const auto keep = [&](const char* list, const char* key) {
    nlohmann::json kept = nlohmann::json::array();
    for (const nlohmann::json& item : document.at(list))
      if (kept.size() < 2 && item.at(key) == op) kept.push_back(item);
    document[list] = kept;
  };
  keep("ops", "name");
  for (const char* list : {"clauses", "tables", "examples"}) keep(list, "op");
  const std::string text = document.dump();
  EXPECT_NO_THROW(judge::parse_spec(text, "spec.json"));
  survives({text}, kDraws, [](const std::string& damaged_text) { judge::parse_spec(damaged_text, "spec.json"); });
}

} // namespace
} // namespace ts::conformance
