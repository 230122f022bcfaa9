// The commands of `octet` on objects: each prints to standard output and gives a Status; main.cc
// turns that into a message and the exit code (0 done, 1 refused or failed, 2 usage). One thread.
#pragma once

#include <string>
#include <vector>

#include "cli/api_client.h"
#include "cli/target.h"
#include "shared/base/clock.h"
#include "shared/base/file_system.h"

namespace octet::cli {

struct ApplyOptions {
  std::vector<std::string> files;
  std::string ns = "default";
  bool dry_run = false;  // The server checks everything and keeps nothing.
};
// Creates or replaces every object of the files. First all are checked, here and on the server; a
// fault in any one leaves everything as it was.
Status Apply(ApiClient& api, const FileSystem& files, const ApplyOptions& options);

enum class OutputForm { kTable, kWide, kJson, kYaml, kName };
Result<OutputForm> ParseOutputForm(const std::string& word);

struct GetOptions {
  std::vector<std::string> words;
  std::string ns = "default";
  bool all_namespaces = false;
  std::string selector;
  OutputForm form = OutputForm::kTable;
};
Status Get(ApiClient& api, const Clock& clock, const GetOptions& options);

struct DescribeOptions {
  std::vector<std::string> words;
  std::string ns = "default";
};
Status Describe(ApiClient& api, const Clock& clock, const DescribeOptions& options);

struct DeleteOptions {
  std::vector<std::string> words;  // Or files:
  std::vector<std::string> files;
  std::string ns = "default";
  bool wait = true;  // Until the objects are gone: a running job first gives its boards back.
  bool ignore_not_found = false;
  Duration timeout = std::chrono::minutes(2);
};
Status Delete(ApiClient& api, const Clock& clock, const FileSystem& files,
              const DeleteOptions& options);

struct LogsOptions {
  std::string job;
  std::string ns = "default";
  bool follow = false;
  int tail = -1;  // Lines from the end; -1: all.
};
Status Logs(ApiClient& api, const LogsOptions& options);

struct WaitOptions {
  std::vector<std::string> words;
  std::string ns = "default";
  std::string wanted;  // "condition=Complete", "condition=Failed=False" or "delete".
  Duration timeout = std::chrono::seconds(30);
};
// Waiting for a job that has ended otherwise is an error at once.
Status Wait(ApiClient& api, const Clock& clock, const WaitOptions& options);

struct WatchOptions {
  std::string job;
  std::string ns = "default";
  bool terminal = false;  // Redraw one line; otherwise a line for each epoch.
};
Status Watch(ApiClient& api, const WatchOptions& options);

// What `octet status` prints below the addresses: boards, jobs and quotas.
Status ShowOverview(ApiClient& api, const Clock& clock);

// Every kind as a CustomResourceDefinition, in YAML, on standard output.
Status PrintCrds();

}  // namespace octet::cli
