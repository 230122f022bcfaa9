// The status of a TrainingJob to a Value and back.
#include <array>

#include "shared/objects/field_reader.h"
#include "shared/objects/training_job.h"

namespace octet {
namespace {

// In the order of JobPhase.
constexpr std::array<std::string_view, 7> kPhaseNames = {
    "Queued", "Starting", "Running", "Suspended", "Succeeded", "Failed", "Cancelled"};

std::optional<JobPhase> ParseJobPhase(std::string_view name) {
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    if (kPhaseNames[i] == name) return static_cast<JobPhase>(i);
  }
  return std::nullopt;
}

Value EncodeProgress(const JobProgress& progress) {
  Value value = Value::MakeMap();
  value.Set("step", progress.step);
  value.Set("totalSteps", progress.total_steps);
  value.Set("epoch", progress.epoch);
  value.Set("totalEpochs", progress.total_epochs);
  if (progress.total_epochs > 0) {
    value.Set("epochs",
              std::to_string(progress.epoch) + "/" + std::to_string(progress.total_epochs));
  }
  const auto set = [&](std::string_view key, const std::optional<double>& number) {
    if (number) value.Set(key, EncodeNumber(*number));
  };
  set("loss", progress.loss);
  set("accuracy", progress.accuracy);
  set("validationLoss", progress.validation_loss);
  set("validationAccuracy", progress.validation_accuracy);
  set("examplesPerSecond", progress.examples_per_second);
  set("stepMillis", progress.step_millis);
  set("allReduceMillis", progress.all_reduce_millis);
  return value;
}

Result<JobProgress> DecodeProgress(const Value* map) {
  FieldReader reader(map, "status.progress");
  JobProgress progress{.step = reader.Int("step"),
                       .total_steps = reader.Int("totalSteps"),
                       .epoch = reader.Int("epoch"),
                       .total_epochs = reader.Int("totalEpochs"),
                       .loss = reader.Number("loss"),
                       .accuracy = reader.Number("accuracy"),
                       .validation_loss = reader.Number("validationLoss"),
                       .validation_accuracy = reader.Number("validationAccuracy"),
                       .examples_per_second = reader.Number("examplesPerSecond").value_or(0),
                       .step_millis = reader.Number("stepMillis").value_or(0),
                       .all_reduce_millis = reader.Number("allReduceMillis").value_or(0)};
  OCTET_RETURN_IF_ERROR(reader.status());
  return progress;
}

Value EncodeJobSession(const JobSession& session) {
  std::vector<std::string> boards;
  for (const BoardId& board : session.boards) boards.push_back(board.str());
  Value value = Value::MakeMap();
  value.Set("uid", session.uid.str());
  value.Set("name", session.name);
  value.Set("boards", EncodeStrings(boards));
  value.Set("grant", FormatDuration(session.grant));
  value.Set("started", FormatTime(session.started));
  return value;
}

Result<std::optional<JobSession>> DecodeJobSession(const Value* map) {
  FieldReader reader(map, "status.session");
  if (!reader.present()) {
    OCTET_RETURN_IF_ERROR(reader.status());
    return std::optional<JobSession>();
  }
  JobSession session{.uid = SessionUid(reader.String("uid")),
                     .name = reader.String("name"),
                     .boards = {},
                     .grant = reader.DurationOf("grant"),
                     .started = reader.Time("started").value_or(TimePoint())};
  for (std::string& board : reader.Strings("boards")) {
    session.boards.emplace_back(std::move(board));
  }
  OCTET_RETURN_IF_ERROR(reader.status());
  return std::optional<JobSession>(std::move(session));
}

Result<TrainingJobStatus> DecodeStatus(const Value& value) {
  FieldReader reader(&value, "status");
  TrainingJobStatus status;
  const std::string phase_name = reader.String("phase");
  const std::optional<JobPhase> phase = ParseJobPhase(phase_name);
  if (!phase && !phase_name.empty()) {
    return InvalidArgument("status.phase: there is no phase " + phase_name);
  }
  status.phase = phase.value_or(JobPhase::kQueued);
  status.conditions = DecodeConditions(reader.Find("conditions"));
  OCTET_ASSIGN_OR_RETURN(status.progress, DecodeProgress(reader.Find("progress")));
  OCTET_ASSIGN_OR_RETURN(status.session, DecodeJobSession(reader.Find("session")));
  status.fence = Fence(reader.Int("fence"));
  status.attempts = reader.Int("attempts");
  status.failures = reader.Int("failures");
  status.interruptions = reader.Int("interruptions");
  status.message = reader.String("message");
  status.weights_sha256 = reader.String("weightsSha256");
  FieldReader checkpoint(reader.Find("checkpoint"), "status.checkpoint");
  status.checkpoint_path = checkpoint.String("path");
  status.checkpoint_step = checkpoint.Int("step");
  status.started = reader.Time("startTime");
  status.finished = reader.Time("completionTime");
  status.charged = BoardMillis(reader.Int("chargedMillis"));
  OCTET_RETURN_IF_ERROR(checkpoint.status());
  OCTET_RETURN_IF_ERROR(reader.status());
  return status;
}

}  // namespace

std::string_view JobPhaseName(JobPhase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

bool IsTerminal(JobPhase phase) {
  return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed ||
         phase == JobPhase::kCancelled;
}

Result<TrainingJob> DecodeTrainingJob(const Object& object) {
  TrainingJob job{.meta = object.meta, .spec = {}, .status = {}};
  OCTET_ASSIGN_OR_RETURN(job.spec, DecodeTrainingJobSpec(object.spec));
  OCTET_ASSIGN_OR_RETURN(job.status, DecodeStatus(object.status));
  return job;
}

Value EncodeTrainingJobStatus(const TrainingJobStatus& status) {
  Value value = Value::MakeMap();
  value.Set("phase", JobPhaseName(status.phase));
  value.Set("message", status.message);
  value.Set("conditions", EncodeConditions(status.conditions));
  value.Set("progress", EncodeProgress(status.progress));
  if (status.session) value.Set("session", EncodeJobSession(*status.session));
  value.Set("fence", status.fence.value());
  value.Set("attempts", status.attempts);
  value.Set("failures", status.failures);
  value.Set("interruptions", status.interruptions);
  if (!status.checkpoint_path.empty() || status.checkpoint_step != 0) {
    Value checkpoint = Value::MakeMap();
    checkpoint.Set("path", status.checkpoint_path);
    checkpoint.Set("step", status.checkpoint_step);
    value.Set("checkpoint", std::move(checkpoint));
  }
  if (!status.weights_sha256.empty()) value.Set("weightsSha256", status.weights_sha256);
  if (status.started) value.Set("startTime", FormatTime(*status.started));
  if (status.finished) value.Set("completionTime", FormatTime(*status.finished));
  value.Set("charged", FormatBoardTime(status.charged));
  value.Set("chargedMillis", status.charged.count());
  return value;
}

}  // namespace octet
