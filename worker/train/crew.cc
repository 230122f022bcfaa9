#include "worker/train/crew.h"

#include <utility>

#include "shared/base/check.h"

namespace octet {
namespace {

// The longest that a part may take. A thread that hangs for good is the agent's to end, with the
// process.
constexpr Duration kPartMax = std::chrono::hours(24);

}  // namespace

Result<std::unique_ptr<Crew>> Crew::Start(ZmqContext& context, const Clock& clock, int threads) {
  std::unique_ptr<Crew> crew(new Crew(threads));
  if (threads == 1) return crew;
  OCTET_ASSIGN_OR_RETURN(crew->group_, CoreGroup::Create(context, clock, threads - 1));
  for (int thread = 1; thread < threads; ++thread) {
    crew->members_.emplace_back("core-" + std::to_string(thread),
                                [&context, address = crew->group_->address(thread - 1), thread,
                                 raw = crew.get()] { raw->Serve(context, address, thread); });
  }
  return crew;
}

Crew::~Crew() {
  if (group_) group_->Stop();
  members_.clear();  // Joins.
}

Status Crew::Run(const Part& part) {
  if (!group_) return part(0);
  done_.store(0, std::memory_order_relaxed);
  part_.store(&part, std::memory_order_release);
  OCTET_RETURN_IF_ERROR(group_->Release({}));
  results_[0] = part(0);
  const auto tokens = group_->Gather(kPartMax);
  CHECK(tokens.ok()) << tokens.status().ToString();
  // The tokens order the memory; this says so in a way that thread checkers see too.
  CHECK(done_.load(std::memory_order_acquire) == threads_ - 1);
  for (const Status& result : results_) OCTET_RETURN_IF_ERROR(result);
  return Ok();
}

void Crew::Serve(ZmqContext& context, const std::string& address, int thread) {
  auto member = CoreMember::Join(context, address);
  CHECK(member.ok()) << member.status().ToString();
  while (const auto token = member->Next()) {
    const Part* part = part_.load(std::memory_order_acquire);
    results_[static_cast<size_t>(thread)] = (*part)(thread);
    done_.fetch_add(1, std::memory_order_release);
    member->Done(*token);
  }
}

}  // namespace octet
