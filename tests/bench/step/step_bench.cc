// One training step on one thread, forward, backward and update, of three small networks; beside
// it, in the same run, two measures of what it could be: the matrix products of that step alone,
// each by oneDNN's call (the peer), and the step with the reference kernels (three plain loops).
// The ratios are what counts: Step/… to Products/… is what all else than products costs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "shared/base/random.h"
#include "worker/engine/compiled_step.h"
#include "worker/engine/onednn_product.h"
#include "worker/engine/optimizer.h"

namespace octet {
namespace {

struct Model {
  const char* name;
  int64_t inputs;
  int64_t hidden;
  int64_t classes;
  int64_t batch;
};
constexpr Model kModels[] = {
    {"iris", 4, 32, 3, 20}, {"digits", 64, 96, 10, 96}, {"mnist", 784, 128, 10, 128}};

std::vector<float> Numbers(int64_t count) {
  Random random(1);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = random.NextNormal();
  return numbers;
}

template <typename KernelsKind>
void Step(benchmark::State& state) {
  const Model& model = kModels[state.range(0)];
  state.SetLabel(model.name);
  const Network network =
      Network::Build(
          {{.kind = LayerKind::kDense, .units = model.hidden, .activation = Activation::kRelu},
           {.kind = LayerKind::kDense, .units = model.classes, .activation = Activation::kSoftmax}},
          model.inputs, LossKind::kSparseCategoricalCrossentropy)
          .value();
  const KernelsKind kernels;
  const CompiledStep step(network, kernels, model.batch);
  const Workspace workspace(step.workspace_floats());
  Optimizer optimizer({.kind = OptimizerKind::kAdam}, network.parameters());
  std::vector<float> weights = InitialWeights(network, 1);
  const std::vector<float> inputs = Numbers(model.batch * model.inputs);
  const std::vector<float> targets(static_cast<size_t>(model.batch), 1.0F);
  std::vector<float> sums(static_cast<size_t>(step.sums_size()));
  const Shard shard{.inputs = inputs.data(), .targets = targets.data(), .rows = model.batch};
  for (auto _ : state) {
    const Status status =
        step.RunGradient(weights.data(), shard, {}, workspace, sums.data(), nullptr);
    if (!status.ok()) return state.SkipWithError(status.message().c_str());
    const Optimizer::Update update = optimizer.Prepare(model.batch);
    optimizer.Apply(update, sums.data(), 0, network.parameters(), weights.data());
    optimizer.Finish(update);
  }
  state.SetItemsProcessed(state.iterations() * model.batch);
  state.counters["FLOP/s"] = benchmark::Counter(
      static_cast<double>(state.iterations() * model.batch * network.training_flops()),
      benchmark::Counter::kIsRate);
}
BENCHMARK(Step<HostKernels>)->DenseRange(0, 2);
BENCHMARK(Step<ReferenceKernels>)->DenseRange(0, 2);

// The five products of a step: forward of both layers, gradients of both kernels and of the hidden
// layer's output.
void Products(benchmark::State& state) {
  const Model& model = kModels[state.range(0)];
  state.SetLabel(model.name);
  const auto [name, inputs, hidden, classes, batch] = model;
  const std::vector<float> a = Numbers(batch * inputs);
  const std::vector<float> h = Numbers(batch * hidden);
  const std::vector<float> o = Numbers(batch * classes);
  const std::vector<float> w1 = Numbers(inputs * hidden);
  const std::vector<float> w2 = Numbers(hidden * classes);
  std::vector<float> out(static_cast<size_t>(std::max(batch, inputs) * std::max(hidden, classes)));
  const ProductShape forward1{.m = batch, .n = hidden, .k = inputs};
  const ProductShape forward2{.m = batch, .n = classes, .k = hidden};
  const ProductShape kernel2{.m = hidden, .n = classes, .k = batch};
  const ProductShape input2{.m = batch, .n = hidden, .k = classes};
  const ProductShape kernel1{.m = inputs, .n = hidden, .k = batch};
  for (auto _ : state) {
    OneDnnProduct(Operands::kPlain, forward1, a.data(), w1.data(), nullptr, out.data());
    OneDnnProduct(Operands::kPlain, forward2, h.data(), w2.data(), nullptr, out.data());
    OneDnnProduct(Operands::kTransposedA, kernel2, h.data(), o.data(), nullptr, out.data());
    OneDnnProduct(Operands::kTransposedB, input2, o.data(), w2.data(), nullptr, out.data());
    OneDnnProduct(Operands::kTransposedA, kernel1, a.data(), h.data(), nullptr, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(Products)->DenseRange(0, 2);

}  // namespace
}  // namespace octet
