// Manifests for the tests of this folder.
#pragma once

#include <string>
#include <string_view>

#include "shared/base/check.h"
#include "shared/objects/kinds.h"
#include "shared/objects/yaml.h"

namespace octet {

inline constexpr char kGoodJob[] = R"(apiVersion: octet.dev/v1
kind: TrainingJob
metadata: {name: digits}
spec:
  accelerator: {type: v3-8}
  session: {duration: 30m, minDuration: 1m}
  model:
    layers:
      - {dense: {units: 64, activation: relu}}
      - {dense: {units: 10, activation: softmax}}
  data:
    train: {format: csv, files: [data/digits.csv], target: digit}
  training:
    batchSize: 128
    loss: sparse_categorical_crossentropy
)";

// `text` with the one place of `from` changed to `to`.
inline std::string Changed(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  CHECK(at != std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The faults of a text as lines "line:column: path: message".
inline std::string FaultsOf(const std::string& text) {
  YamlDocuments read = ReadYaml(text);
  for (const Value& document : read.documents) CheckDocument(document, read.faults);
  std::string lines = FormatFaults("", read.faults);
  // The name of the file is empty: take its colon away.
  std::string shown;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    shown += lines.substr(begin + 1, end - begin);
    begin = end + 1;
  }
  return shown;
}

// The checked object of a text with one document and no fault.
inline Object ObjectOf(const std::string& text) {
  const YamlDocuments read = ReadYaml(text);
  CHECK(read.faults.empty()) << FormatFaults("text", read.faults);
  CHECK(read.documents.size() == 1) << read.documents.size();
  Faults faults;
  Object object = CheckDocument(read.documents[0], faults);
  CHECK(faults.empty()) << FormatFaults("text", faults);
  return object;
}

}  // namespace octet
