#include "worker/train/step_runner.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "worker/train/epoch_line.h"

namespace octet {
namespace {

// Behind a shard's gradients and statistics: how many boards ask for each kind of end.
constexpr int64_t kStopFlags = 2;
// Ranges of threads begin at cache lines.
constexpr int64_t kLineFloats = 16;
// Below this many floating-point operations a step on one thread is over before others have woken
// up.
constexpr double kWorthThreads = 4e6;

int64_t RoundUp(int64_t count) { return (count + kLineFloats - 1) / kLineFloats * kLineFloats; }

ShardLayout LayoutOf(const SessionInputs& inputs) {
  return {.shards = inputs.spec.training.logical_shards,
          .cores = inputs.spec.cores(),
          .rank = inputs.rank};
}

int ThreadsFor(const StepRunnerOptions& options, const JobData& data) {
  if (options.threads > 0) return options.threads;
  const auto rows = static_cast<double>(options.inputs.spec.training.batch_size) /
                    static_cast<double>(options.inputs.peers.size());
  const double flops = rows * static_cast<double>(data.network().training_flops());
  return flops < kWorthThreads ? 1 : 0;
}

std::vector<const float*> RowsOf(const Workspace& rows, int64_t count, int64_t stride) {
  std::vector<const float*> pointers;
  for (int64_t i = 0; i < count; ++i) pointers.push_back(rows.data() + i * stride);
  return pointers;
}

// The gradient of an epoch's end is small; the sum of its examples is exact in a float up to 2^24.
EpochSums SumsOf(const float* statistics) {
  return {.examples = std::llround(statistics[kExampleCount]),
          .loss = statistics[kLossSum],
          .correct = statistics[kCorrectCount]};
}

void AddTo(EpochSums& sums, const EpochSums& more) {
  sums.examples += more.examples;
  sums.loss += more.loss;
  sums.correct += more.correct;
}

}  // namespace

Result<std::unique_ptr<StepRunner>> StepRunner::Create(const StepRunnerOptions& options, Gang& gang,
                                                       const JobData& data, TrainState& state) {
  const TrainingJobSpec& spec = options.inputs.spec;
  OCTET_ASSIGN_OR_RETURN(auto board,
                         Board::Create(data.network(), options.kernels, options.clock,
                                       {.layout = LayoutOf(options.inputs),
                                        .batch_rows_max = spec.training.batch_size,
                                        .optimizer = spec.training.optimizer,
                                        .hbm_per_core = HbmPerCore(spec.accelerator.version),
                                        .threads = ThreadsFor(options, data)}));
  OCTET_ASSIGN_OR_RETURN(auto crew, Crew::Start(options.context, options.clock, board->threads()));
  return std::unique_ptr<StepRunner>(
      new StepRunner(options, gang, data, state, std::move(board), std::move(crew)));
}

StepRunner::StepRunner(const StepRunnerOptions& options, Gang& gang, const JobData& data,
                       TrainState& state, std::unique_ptr<Board> board, std::unique_ptr<Crew> crew)
    : options_(options),
      gang_(gang),
      data_(data),
      state_(state),
      board_(std::move(board)),
      crew_(std::move(crew)),
      shard_sum_(ShardsOfRank(board_->layout().shards, options.inputs.rank, gang.ranks()),
                 board_->layout().shards),
      elements_(board_->sums_size() + kStopFlags),
      stride_(RoundUp(elements_)),
      shard_sums_(shard_sum_.range().size() * stride_),
      shard_rows_(RowsOf(shard_sums_, shard_sum_.range().size(), stride_)),
      sum_(elements_, static_cast<int64_t>(shard_sum_.roots().size()), gang.ranks() == 1),
      batches_(BatchesOfValidation()),
      statistics_stride_(RoundUp(std::max<int64_t>(batches_, 1) * kStatistics)),
      shard_statistics_(shard_sum_.range().size() * statistics_stride_),
      statistic_rows_(RowsOf(shard_statistics_, shard_sum_.range().size(), statistics_stride_)),
      statistics_(std::max<int64_t>(batches_, 1) * kStatistics,
                  static_cast<int64_t>(shard_sum_.roots().size()), gang.ranks() == 1) {
  // What RunCore does not write: the flags of all shards but the board's first stay 0.
  std::fill_n(shard_sums_.data(), shard_sums_.size(), 0.0F);
  const int64_t shards = board_->layout().shards_per_core();
  const int64_t rows =
      shards * board_->layout().RowsPerShardMax(options.inputs.spec.training.batch_size);
  for (int thread = 0; thread < board_->threads(); ++thread) {
    lanes_.push_back({.inputs = Workspace(rows * data.network().input_width()),
                      .targets = Workspace(rows * data.network().target_width()),
                      .positions = std::vector<uint32_t>(static_cast<size_t>(rows)),
                      .evaluation = Workspace(shards * kStatistics)});
  }
}

int64_t StepRunner::BatchesOfValidation() const {
  const int64_t batch = options_.inputs.spec.training.batch_size;
  return (data_.validation_examples() + batch - 1) / batch;
}

Result<StepResult> StepRunner::Train(StopKind mine) {
  float* flags = shard_sums_.data() + board_->sums_size();
  flags[0] = mine == StopKind::kWithCheckpoint ? 1.0F : 0.0F;
  flags[1] = mine == StopKind::kAtOnce ? 1.0F : 0.0F;
  OCTET_RETURN_IF_ERROR(crew_->Run([this](int thread) { return ComputeCores(thread); }));
  const MonotonicTime computed = options_.clock.Monotonic();
  OCTET_RETURN_IF_ERROR(crew_->Run([this](int thread) {
    SumShards(thread, shard_rows_, sum_);
    return Ok();
  }));
  OCTET_RETURN_IF_ERROR(gang_.slice().AllReduce(sum_));
  StepResult result;
  result.all_reduce = options_.clock.Monotonic() - computed;
  const float* sums = sum_.sum();
  OCTET_RETURN_IF_ERROR(CheckFinite(sums));
  const float* statistics = sums + data_.network().parameters();
  result.sums = SumsOf(statistics);
  result.sums.examples = data_.order().BatchRows(state_.step);
  result.board_examples = BoardExamples(result.sums.examples);
  if (statistics[kStatistics] > 0) result.stop = StopKind::kWithCheckpoint;
  if (statistics[kStatistics + 1] > 0) result.stop = StopKind::kAtOnce;
  const Optimizer::Update update = state_.optimizer.Prepare(result.sums.examples);
  OCTET_RETURN_IF_ERROR(crew_->Run([&](int thread) {
    UpdateWeights(thread, update);
    return Ok();
  }));
  state_.optimizer.Finish(update);
  ++state_.step;
  AddTo(state_.epoch, result.sums);
  return result;
}

int64_t StepRunner::BoardExamples(int64_t batch_rows) const {
  const ShardRange shards = shard_sum_.range();
  return board_->layout().RowsOfShard(shards.end - 1, batch_rows).end -
         board_->layout().RowsOfShard(shards.begin, batch_rows).begin;
}

Status StepRunner::ComputeCores(int thread) {
  Lane& lane = lanes_[static_cast<size_t>(thread)];
  const ShardLayout& layout = board_->layout();
  const int64_t batch_rows = data_.order().BatchRows(state_.step);
  const DropoutKey key{.seed = options_.inputs.spec.training.seed,
                       .step = static_cast<uint64_t>(state_.step)};
  const IndexRange cores = board_->CoresOfThread(thread);
  for (int64_t core = cores.begin; core < cores.end; ++core) {
    const IndexRange rows = layout.RowsOfCore(static_cast<int>(core), batch_rows);
    data_.GatherTraining(state_.step, {.begin = rows.begin, .end = rows.end}, lane.positions.data(),
                         lane.inputs.data(), lane.targets.data());
    OCTET_RETURN_IF_ERROR(board_->RunCore(
        static_cast<int>(core), state_.weights.data(),
        {.inputs = lane.inputs.data(), .targets = lane.targets.data(), .batch_rows = batch_rows},
        key, shard_sums_.data() + core * layout.shards_per_core() * stride_, stride_));
  }
  return Ok();
}

IndexRange StepRunner::ElementsOf(int thread, int64_t elements) const {
  const int64_t lines = RoundUp(elements) / kLineFloats;
  const int64_t threads = board_->threads();
  return {.begin = std::min(elements, thread * lines / threads * kLineFloats),
          .end = std::min(elements, (thread + 1) * lines / threads * kLineFloats)};
}

void StepRunner::SumShards(int thread, const std::vector<const float*>& shards, SumBuffer& buffer) {
  const MonotonicTime start = options_.clock.Monotonic();
  std::vector<float*>& roots = lanes_[static_cast<size_t>(thread)].roots;
  roots.clear();
  for (int64_t root = 0; root < buffer.roots(); ++root) roots.push_back(buffer.root(root));
  const IndexRange range = ElementsOf(thread, buffer.elements());
  shard_sum_.Sum(shards, roots, range.begin, range.end);
  AddBusy(thread, start);
}

void StepRunner::UpdateWeights(int thread, const Optimizer::Update& update) {
  const MonotonicTime start = options_.clock.Monotonic();
  const IndexRange range = ElementsOf(thread, data_.network().parameters());
  state_.optimizer.Apply(update, sum_.sum(), range.begin, range.end, state_.weights.data());
  AddBusy(thread, start);
}

void StepRunner::AddBusy(int thread, MonotonicTime start) {
  // Work that belongs to no core is booked on the thread's first.
  board_->AddBusy(static_cast<int>(board_->CoresOfThread(thread).begin),
                  options_.clock.Monotonic() - start);
}

Status StepRunner::CheckFinite(const float* sums) const {
  const Network& network = data_.network();
  const float loss = sums[network.parameters() + kLossSum];
  if (std::isfinite(loss)) return Ok();
  const auto first_bad = [&](const float* values) -> const TensorInfo* {
    for (const TensorInfo& tensor : network.tensors()) {
      const float* begin = values + tensor.offset;
      const bool finite =
          std::all_of(begin, begin + tensor.size, [](float value) { return std::isfinite(value); });
      if (!finite) return &tensor;
    }
    return nullptr;
  };
  std::string where;
  if (const TensorInfo* bad = first_bad(state_.weights.data())) {
    where = "; the first weights that are not finite are " + bad->name;
  } else if (const TensorInfo* gradient = first_bad(sums)) {
    where = "; the first gradient that is not finite is that of " + gradient->name;
  }
  const int64_t step = state_.step + 1;
  return FailedPrecondition("the loss is " + FormatLoss(loss) + " in step " + std::to_string(step) +
                            " (epoch " + std::to_string(data_.order().EpochOf(state_.step) + 1) +
                            ")" + where + "; try a smaller learning rate or scale the inputs");
}

Result<EpochSums> StepRunner::Validate() {
  OCTET_RETURN_IF_ERROR(crew_->Run([this](int thread) { return EvaluateCores(thread); }));
  OCTET_RETURN_IF_ERROR(crew_->Run([this](int thread) {
    SumShards(thread, statistic_rows_, statistics_);
    return Ok();
  }));
  OCTET_RETURN_IF_ERROR(gang_.slice().AllReduce(statistics_));
  EpochSums sums;
  for (int64_t batch = 0; batch < batches_; ++batch) {
    AddTo(sums, SumsOf(statistics_.sum() + batch * kStatistics));
  }
  return sums;
}

Status StepRunner::EvaluateCores(int thread) {
  const IndexRange cores = board_->CoresOfThread(thread);
  for (int64_t core = cores.begin; core < cores.end; ++core) {
    for (int64_t batch = 0; batch < batches_; ++batch) {
      OCTET_RETURN_IF_ERROR(EvaluateBatch(thread, static_cast<int>(core), batch));
    }
  }
  return Ok();
}

Status StepRunner::EvaluateBatch(int thread, int core, int64_t batch) {
  Lane& lane = lanes_[static_cast<size_t>(thread)];
  const ShardLayout& layout = board_->layout();
  const int64_t size = options_.inputs.spec.training.batch_size;
  const int64_t first = batch * size;
  const int64_t batch_rows = std::min(size, data_.validation_examples() - first);
  const IndexRange rows = layout.RowsOfCore(core, batch_rows);
  data_.GatherValidation({.begin = first + rows.begin, .end = first + rows.end}, lane.inputs.data(),
                         lane.targets.data());
  OCTET_RETURN_IF_ERROR(board_->EvaluateCore(
      core, state_.weights.data(),
      {.inputs = lane.inputs.data(), .targets = lane.targets.data(), .batch_rows = batch_rows},
      lane.evaluation.data()));
  for (int64_t i = 0; i < layout.shards_per_core(); ++i) {
    const int64_t shard = core * layout.shards_per_core() + i;
    std::copy_n(lane.evaluation.data() + i * kStatistics, kStatistics,
                shard_statistics_.data() + shard * statistics_stride_ + batch * kStatistics);
  }
  return Ok();
}

}  // namespace octet
