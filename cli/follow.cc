// `octet logs`, `octet wait` and `octet watch`: following what changes by asking again.
#include <cstdio>
#include <iostream>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/table.h"
#include "shared/objects/training_job.h"

namespace octet::cli {
namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(200);
constexpr int kBarWidth = 24;

// The last `lines` lines of `text`.
std::string Tail(const std::string& text, int lines) {
  if (lines < 0) return text;
  size_t begin = text.size();
  if (begin > 0 && text[begin - 1] == '\n') --begin;
  for (int found = 0; begin > 0; --begin) {
    if (text[begin - 1] == '\n' && ++found == lines) break;
  }
  return lines == 0 ? "" : text.substr(begin);
}

Result<TrainingJob> ReadJob(ApiClient& api, const std::string& ns, const std::string& name) {
  OCTET_ASSIGN_OR_RETURN(const Value document, api.Get(Kind::kTrainingJob, ns, name));
  OCTET_ASSIGN_OR_RETURN(const Object object, DecodeObject(document));
  return DecodeTrainingJob(object);
}

struct WantedCondition {
  std::string type;
  bool status = true;
};

Result<WantedCondition> ParseWanted(const std::string& wanted) {
  constexpr std::string_view kPrefix = "condition=";
  if (!wanted.starts_with(kPrefix) || wanted.size() == kPrefix.size()) {
    return InvalidArgument("--for=" + wanted +
                           ": write condition=TYPE, condition=TYPE=False or delete");
  }
  WantedCondition condition{.type = wanted.substr(kPrefix.size())};
  const size_t equals = condition.type.find('=');
  if (equals != std::string::npos) {
    const std::string status = condition.type.substr(equals + 1);
    if (status != "True" && status != "true" && status != "False" && status != "false") {
      return InvalidArgument("--for=" + wanted + ": the status is True or False");
    }
    condition.status = status[0] == 'T' || status[0] == 't';
    condition.type.resize(equals);
  }
  return condition;
}

// Whether `object` has what is waited for; an error if it never will.
Result<bool> Reached(const Value& object, const WantedCondition& wanted) {
  const Conditions conditions = DecodeConditions(object.FindPath("status.conditions"));
  const Condition* found = FindCondition(conditions, wanted.type);
  const Value* generation = object.FindPath("metadata.generation");
  // A condition of an older spec says nothing of this one.
  const bool current =
      found != nullptr && (found->observed_generation == 0 || generation == nullptr ||
                           found->observed_generation >= generation->AsInt());
  if (current && found->status == wanted.status) return true;
  if (!wanted.status) return false;
  for (const char* end : {"Complete", "Failed"}) {
    if (IsTrue(conditions, end)) {
      return FailedPrecondition("it has ended otherwise: " + std::string(end) + ": " +
                                CellText(object.FindPath("status.message")));
    }
  }
  return false;
}

Status WaitForOne(ApiClient& api, const Clock& clock, const Target& target,
                  const WaitOptions& options) {
  const std::string shown = target.info->singular + "." + kApiGroup + "/" + target.name;
  const bool for_delete = options.wanted == "delete";
  WantedCondition wanted;
  if (!for_delete) {
    OCTET_ASSIGN_OR_RETURN(wanted, ParseWanted(options.wanted));
  }
  const std::string ns = target.info->namespaced ? options.ns : "";
  const MonotonicTime limit = clock.Monotonic() + options.timeout;
  while (true) {
    const Result<Value> object = api.Get(target.info->kind, ns, target.name);
    if (!object.ok()) {
      if (for_delete && object.status().code() == StatusCode::kNotFound) break;
      return object.status();
    }
    if (!for_delete) {
      const Result<bool> reached = Reached(*object, wanted);
      if (!reached.ok()) return reached.status().Annotate(shown);
      if (*reached) break;
    }
    if (clock.Monotonic() >= limit) {
      return DeadlineExceeded("timed out after " + FormatDuration(options.timeout) +
                              " waiting for " + options.wanted + " on " + shown + "; it is " +
                              CellText(object->FindPath("status.phase")) + ": " +
                              CellText(object->FindPath("status.message")));
    }
    Pause(kPollInterval);
  }
  std::cout << shown << (for_delete ? " deleted" : " condition met") << '\n';
  return Ok();
}

std::string Percent(double share) {
  char text[16];
  std::snprintf(text, sizeof(text), "%.1f %%", share * 100);
  return text;
}

// "epoch 3/30  step 36/360  loss 0.1234  accuracy 95.1 %  12345 examples/s".
std::string ProgressText(const TrainingJob& job) {
  const JobProgress& p = job.status.progress;
  std::string text = std::string(JobPhaseName(job.status.phase));
  if (p.total_epochs > 0) {
    text += "  epoch " + std::to_string(p.epoch) + "/" + std::to_string(p.total_epochs) +
            "  step " + std::to_string(p.step) + "/" + std::to_string(p.total_steps);
  }
  char number[48];
  if (p.loss) {
    std::snprintf(number, sizeof(number), "  loss %.4f", *p.loss);
    text += number;
  }
  if (p.accuracy) text += "  accuracy " + Percent(*p.accuracy);
  if (p.validation_accuracy) text += "  val_accuracy " + Percent(*p.validation_accuracy);
  if (p.examples_per_second > 0) {
    std::snprintf(number, sizeof(number), "  %.0f examples/s", p.examples_per_second);
    text += number;
  }
  return text;
}

std::string Bar(const JobProgress& progress) {
  const int64_t total = progress.total_steps > 0 ? progress.total_steps : 1;
  const auto full = static_cast<int>(progress.step * kBarWidth / total);
  std::string bar = "[";
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? '#' : '.';
  return bar + "] ";
}

void PrintQuota(ApiClient& api, const UserName& user) {
  const Result<Value> list = api.List(Kind::kUserQuota, "", "");
  if (!list.ok() || list->Find("items") == nullptr) return;
  for (const Value& item : list->Find("items")->AsList()) {
    if (CellText(item.FindPath("spec.user")) != user.str()) continue;
    std::cout << "quota of " << user << ": used " << CellText(item.FindPath("status.used"))
              << ", remaining " << CellText(item.FindPath("status.remaining")) << ", resets "
              << CellText(item.FindPath("status.nextReset")) << '\n';
  }
}

}  // namespace

Status Logs(ApiClient& api, const LogsOptions& options) {
  size_t offset = 0;
  std::string pending;
  bool shown = false;
  while (true) {
    OCTET_ASSIGN_OR_RETURN(const LogPart part, api.Log(options.ns, options.job, offset));
    if (shown && part.offset > offset) {
      std::cout << "[" << part.offset - offset << " bytes of older lines are gone]\n";
    }
    offset = part.next;
    pending += part.text;
    // A long log comes in parts; its last lines are known with the last part.
    if (part.more) continue;
    std::cout << (shown ? pending : Tail(pending, options.tail)) << std::flush;
    shown = true;
    pending.clear();
    if (!options.follow || part.at_end) return Ok();
    if (part.text.empty()) Pause(kPollInterval);
  }
}

Status Wait(ApiClient& api, const Clock& clock, const WaitOptions& options) {
  OCTET_ASSIGN_OR_RETURN(const std::vector<Target> targets, ParseTargets(options.words));
  for (const Target& target : targets) {
    if (target.name.empty()) {
      return InvalidArgument("say which " + target.info->singular + " to wait for");
    }
    OCTET_RETURN_IF_ERROR(WaitForOne(api, clock, target, options));
  }
  return Ok();
}

Status Watch(ApiClient& api, const WatchOptions& options) {
  std::string shown;
  while (true) {
    OCTET_ASSIGN_OR_RETURN(const TrainingJob job, ReadJob(api, options.ns, options.job));
    const bool over = IsTerminal(job.status.phase);
    std::string line = ProgressText(job);
    if (job.status.progress.step == 0 && !job.status.message.empty()) {
      line += "  " + job.status.message;
    }
    if (options.terminal) {
      std::cout << "\r\x1b[K" << Bar(job.status.progress) << line << std::flush;
    } else {
      // A plain line when something has changed that a reader of a file cares for.
      const std::string mark = std::string(JobPhaseName(job.status.phase)) + "/" +
                               std::to_string(job.status.progress.epoch) + "/" +
                               (job.status.progress.step == 0 ? job.status.message : "");
      if (mark != shown) std::cout << line << std::endl;
      shown = mark;
    }
    if (over) {
      if (options.terminal) std::cout << '\n';
      std::cout << options.ns << '/' << options.job << ": " << JobPhaseName(job.status.phase)
                << (job.status.message.empty() ? "" : ": " + job.status.message) << '\n';
      if (!job.status.weights_sha256.empty()) {
        std::cout << "weights sha256:" << job.status.weights_sha256 << '\n';
      }
      PrintQuota(api, job.spec.user);
      if (job.status.phase == JobPhase::kSucceeded) return Ok();
      return FailedPrecondition("the job did not succeed");
    }
    Pause(kPollInterval);
  }
}

}  // namespace octet::cli
