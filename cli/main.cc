// `octet`: the command line. This file describes the commands; the others carry them out.
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>

#include "cli/cluster.h"
#include "cli/commands.h"
#include "cli/environment.h"

namespace octet::cli {
namespace {

constexpr char kVersion[] = "0.1.0";
constexpr int kExitRefused = 1;
constexpr int kExitUsage = 2;

// What all commands share.
struct Context {
  Environment environment = ReadEnvironment();
  PosixFileSystem files;
  SystemClock clock;
  std::string user;
  // Set by the chosen command's callback; run after parsing.
  std::function<Status()> action;

  Result<ApiClient*> Api() {
    if (api) return api.get();
    std::string server = environment.server;
    if (server.empty()) {
      OCTET_ASSIGN_OR_RETURN(const RunningCluster cluster, ReadCluster(files, environment.home));
      server = cluster.api;
    }
    api = std::make_unique<ApiClient>(server, user.empty() ? environment.user : UserName(user));
    return api.get();
  }

  std::unique_ptr<ApiClient> api;
};

// An action that needs the API.
template <typename Body>
std::function<Status()> WithApi(Context& context, Body body) {
  return [&context, body]() -> Status {
    OCTET_ASSIGN_OR_RETURN(ApiClient * api, context.Api());
    return body(*api);
  };
}

Result<Duration> Timeout(const std::string& text) {
  const Result<Duration> parsed = ParseDuration(text);
  if (!parsed.ok()) return parsed.status().Annotate("--timeout");
  return parsed;
}

void AddClusterCommands(CLI::App& app, Context& context) {
  auto up = std::make_shared<UpOptions>();
  CLI::App* command =
      app.add_subcommand("up", "Start a local cluster, for example: octet up --boards 4");
  command->add_option("--boards", up->boards, "Boards, one worker process each (8 cores)")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command
      ->add_option("--api-address", up->api_address,
                   "HOST:PORT of the API; port 0 takes a free one")
      ->capture_default_str();
  command->add_option("--control-address", up->control_address, "HOST:PORT for the workers")
      ->capture_default_str();
  command->add_option("--metrics-address", up->metrics_address, "HOST:PORT for Prometheus")
      ->capture_default_str();
  command->callback([&context, up] {
    context.action = [&context, up] {
      return Up(context.files, context.clock, context.environment, *up);
    };
  });

  app.add_subcommand("down", "Stop the local cluster; its state stays")->callback([&context] {
    context.action = [&context] { return Down(context.files, context.clock, context.environment); };
  });
  app.add_subcommand("status", "Boards, jobs and quotas at a glance")->callback([&context] {
    context.action = [&context] {
      return ShowStatus(context.files, context.clock, context.environment);
    };
  });
}

void AddWriteCommands(CLI::App& app, Context& context) {
  auto apply = std::make_shared<ApplyOptions>();
  CLI::App* command = app.add_subcommand(
      "apply", "Create or change what files describe, for example: octet apply -f job.yaml");
  command->add_option("-f,--filename", apply->files, "A file, a folder, or - for standard input")
      ->required();
  command->add_option("-n,--namespace", apply->ns, "For objects that name none")
      ->capture_default_str();
  command->add_flag("--dry-run", apply->dry_run, "Check everything and change nothing");
  command->callback([&context, apply] {
    context.action = WithApi(
        context, [&context, apply](ApiClient& api) { return Apply(api, context.files, *apply); });
  });

  auto remove = std::make_shared<DeleteOptions>();
  auto timeout = std::make_shared<std::string>("2m");
  command =
      app.add_subcommand("delete", "Delete objects, for example: octet delete trainingjob iris");
  command->add_option("what", remove->words, "KIND NAME..., or KIND/NAME...");
  command->add_option("-f,--filename", remove->files, "Delete what these files describe");
  command->add_option("-n,--namespace", remove->ns)->capture_default_str();
  command->add_flag("--wait,!--no-wait", remove->wait, "Wait until they are gone (default)");
  command->add_flag("--ignore-not-found", remove->ignore_not_found, "A missing object is no error");
  command->add_option("--timeout", *timeout, "How long to wait")->capture_default_str();
  command->callback([&context, remove, timeout] {
    if (remove->words.empty() == remove->files.empty()) {
      throw CLI::ValidationError("delete", "say what: KIND NAME..., or -f FILE");
    }
    context.action = WithApi(context, [&context, remove, timeout](ApiClient& api) -> Status {
      OCTET_ASSIGN_OR_RETURN(remove->timeout, Timeout(*timeout));
      return Delete(api, context.clock, context.files, *remove);
    });
  });
}

void AddReadCommands(CLI::App& app, Context& context) {
  auto get = std::make_shared<GetOptions>();
  auto form = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("get", "List objects, for example: octet get tj -o wide");
  command->add_option("what", get->words, "KIND[,KIND...] [NAME...], or KIND/NAME...")->required();
  command->add_option("-n,--namespace", get->ns)->capture_default_str();
  command->add_flag("-A,--all-namespaces", get->all_namespaces);
  command->add_option("-l,--selector", get->selector, "Labels, for example: team=vision");
  command->add_option("-o,--output", *form, "json, yaml, wide or name");
  command->callback([&context, get, form] {
    context.action = WithApi(context, [&context, get, form](ApiClient& api) -> Status {
      OCTET_ASSIGN_OR_RETURN(get->form, ParseOutputForm(*form));
      return Get(api, context.clock, *get);
    });
  });

  auto describe = std::make_shared<DescribeOptions>();
  command =
      app.add_subcommand("describe", "All about objects, for example: octet describe tj iris");
  command->add_option("what", describe->words, "KIND [NAME...], or KIND/NAME...")->required();
  command->add_option("-n,--namespace", describe->ns)->capture_default_str();
  command->callback([&context, describe] {
    context.action = WithApi(context, [&context, describe](ApiClient& api) {
      return Describe(api, context.clock, *describe);
    });
  });
}

void AddFollowCommands(CLI::App& app, Context& context) {
  auto logs = std::make_shared<LogsOptions>();
  CLI::App* command =
      app.add_subcommand("logs", "What a job has printed, for example: octet logs -f iris");
  command->add_option("job", logs->job)->required();
  command->add_option("-n,--namespace", logs->ns)->capture_default_str();
  command->add_flag("-f,--follow", logs->follow, "Go on until the job is over");
  command->add_option("--tail", logs->tail, "Only the last lines")->check(CLI::NonNegativeNumber);
  command->callback([&context, logs] {
    context.action = WithApi(context, [logs](ApiClient& api) { return Logs(api, *logs); });
  });

  auto wait = std::make_shared<WaitOptions>();
  auto timeout = std::make_shared<std::string>("30s");
  command = app.add_subcommand(
      "wait", "Wait for a condition: octet wait tj/iris --for=condition=Complete --timeout=5m");
  command->add_option("what", wait->words, "KIND/NAME..., or KIND NAME...")->required();
  command->add_option("--for", wait->wanted, "condition=TYPE[=True|False], or delete")->required();
  command->add_option("-n,--namespace", wait->ns)->capture_default_str();
  command->add_option("--timeout", *timeout)->capture_default_str();
  command->callback([&context, wait, timeout] {
    context.action = WithApi(context, [&context, wait, timeout](ApiClient& api) -> Status {
      OCTET_ASSIGN_OR_RETURN(wait->timeout, Timeout(*timeout));
      return Wait(api, context.clock, *wait);
    });
  });

  auto watch = std::make_shared<WatchOptions>();
  command = app.add_subcommand("watch", "Follow a job's progress to its end: octet watch iris");
  command->add_option("job", watch->job)->required();
  command->add_option("-n,--namespace", watch->ns)->capture_default_str();
  command->callback([&context, watch] {
    watch->terminal = context.environment.terminal;
    context.action = WithApi(context, [watch](ApiClient& api) { return Watch(api, *watch); });
  });
}

void AddPrintCommands(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "crds", "Print the kinds for a Kubernetes cluster: octet crds | kubectl apply -f -");
  command->callback([&context] { context.action = PrintCrds; });
}

int Run(int argc, char** argv) {
  Context context;
  CLI::App app("Octet: distributed training on emulated TPU boards");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("octet ") + kVersion);
  app.add_option("--user", context.user,
                 "Act as this user (default: $OCTET_USER, else the login name)");
  app.add_option("--server", context.environment.server,
                 "The API's address (default: $OCTET_SERVER, else the cluster of $OCTET_HOME)");
  app.add_option("--home", context.environment.home,
                 "The cluster's state (default: $OCTET_HOME, else ~/.octet)");
  app.fallthrough();
  AddClusterCommands(app, context);
  AddWriteCommands(app, context);
  AddReadCommands(app, context);
  AddFollowCommands(app, context);
  AddPrintCommands(app, context);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are no errors; everything else is a usage error.
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  CHECK(context.action != nullptr) << "a command without an action";
  const Status status = context.action();
  if (status.ok()) return 0;
  std::cout << std::flush;
  std::cerr << "octet: " << status.message() << '\n';
  return kExitRefused;
}

}  // namespace
}  // namespace octet::cli

int main(int argc, char** argv) { return octet::cli::Run(argc, argv); }
