#include "worker/collective/slice_member.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "shared/base/check.h"
#include "shared/base/random.h"

namespace octet {
namespace {

// The payload of an abort: the code, then the message.
constexpr size_t kAbortMessageBytesMax = 1024;

std::string EncodeAbort(const Status& status) {
  return static_cast<char>(status.code()) + status.message().substr(0, kAbortMessageBytesMax);
}

Status DecodeAbort(std::string_view bytes) {
  const int code = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]);
  const bool known = code >= static_cast<int>(StatusCode::kCancelled) &&
                     code <= static_cast<int>(StatusCode::kUnauthenticated);
  return Status(known ? static_cast<StatusCode>(code) : StatusCode::kUnknown,
                std::string(bytes.substr(bytes.empty() ? 0 : 1, kAbortMessageBytesMax)));
}

std::vector<int64_t> RootCounts(const SliceOptions& options) {
  std::vector<int64_t> counts;
  for (int rank = 0; rank < options.ranks; ++rank) {
    const ShardRange range = ShardsOfRank(options.shards, rank, options.ranks);
    counts.push_back(static_cast<int64_t>(SubtreeRoots(range, options.shards).size()));
  }
  return counts;
}

// `payload` as floats: ZeroMQ puts small messages at any address.
const float* AsFloats(std::string_view payload, std::vector<float>& aligned) {
  if (reinterpret_cast<uintptr_t>(payload.data()) % alignof(float) == 0) {
    return reinterpret_cast<const float*>(payload.data());
  }
  aligned.resize(payload.size() / sizeof(float));
  std::memcpy(aligned.data(), payload.data(), payload.size());
  return aligned.data();
}

}  // namespace

SliceMember::SliceMember(const SliceOptions& options)
    : options_(options),
      roots_(RootCounts(options)),
      root_sum_(RootSum::OfRanks(options.shards, options.ranks)),
      peers_(static_cast<size_t>(options.ranks)) {
  CHECK(options.rank >= 0 && options.rank < options.ranks);
  CHECK(options.ranks <= limits::kSliceBoardsMax);
  CHECK(options.boards.empty() || options.boards.size() == static_cast<size_t>(options.ranks));
}

// What an operation is.

void SliceMember::BeginJoin(MonotonicTime now) {
  if (Begin(OperationType::kJoin, 0, -1, now)) Start(now);
}

void SliceMember::BeginBarrier(MonotonicTime now) {
  if (Begin(OperationType::kBarrier, 0, -1, now)) Start(now);
}

void SliceMember::BeginSum(SumBuffer& buffer, MonotonicTime now) {
  CHECK(buffer.alone() == (options_.ranks == 1));
  CHECK(buffer.roots() == roots_[static_cast<size_t>(options_.rank)]);
  if (!Begin(OperationType::kSumFloat32, static_cast<uint64_t>(buffer.elements()), -1, now)) return;
  buffer_ = &buffer;
  Start(now);
}

void SliceMember::BeginBroadcastSize(int root, uint64_t size, MonotonicTime now) {
  if (!Begin(OperationType::kBroadcastSize, sizeof(size), root, now)) return;
  broadcast_ = std::make_shared<std::string>(sizeof(size), '\0');
  if (root == options_.rank) std::memcpy(broadcast_->data(), &size, sizeof(size));
  Start(now);
}

void SliceMember::BeginBroadcast(int root, uint64_t size, std::string_view bytes,
                                 MonotonicTime now) {
  if (!Begin(OperationType::kBroadcast, size, root, now)) return;
  if (root == options_.rank) {
    CHECK(bytes.size() == size);
    broadcast_ = std::make_shared<std::string>(bytes);
  } else {
    broadcast_ = std::make_shared<std::string>(size, '\0');
  }
  Start(now);
}

bool SliceMember::Begin(OperationType type, uint64_t elements, int fixed_owner, MonotonicTime now) {
  CHECK(!active_ || !status_.ok()) << "an operation begins before the last one is done";
  if (!status_.ok()) return false;
  ++operation_;
  type_ = type;
  elements_ = elements;
  fixed_owner_ = fixed_owner;
  progress_ = now;
  buffer_ = nullptr;
  broadcast_.reset();
  return true;
}

void SliceMember::Start(MonotonicTime now) {
  SetChunks();
  active_ = true;
  std::fill(peers_.begin(), peers_.end(), Peer());
  finished_.assign(static_cast<size_t>(chunks_), false);
  left_ = chunks_;
  own_left_ = 0;
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    if (OwnerOf(chunk) == options_.rank) ++own_left_;
  }
  if (options_.ranks == 1) {  // The root is the sum, the own bytes are the broadcast.
    left_ = own_left_ = 0;
    active_ = false;
    ++counters_.operations;
    return;
  }
  SendContributions();
  for (Received& received : std::exchange(early_, {})) OnReceived(std::move(received), now);
}

// Few enough messages where they count, chunks that keep every board adding where bytes count: at
// least two for each owner.
void SliceMember::SetChunks() {
  const int64_t elements = static_cast<int64_t>(elements_);
  int64_t size = std::max<int64_t>(elements, 1);
  if (type_ == OperationType::kSumFloat32 && elements_ * sizeof(float) > options_.star_bytes) {
    constexpr int64_t kLineFloats = 16;
    const int64_t roots_max = *std::max_element(roots_.begin(), roots_.end());
    const int64_t largest = static_cast<int64_t>(options_.chunk_bytes / sizeof(float)) / roots_max;
    const int64_t balanced = (elements + 2 * options_.ranks - 1) / (2 * options_.ranks);
    size = (std::min(largest, balanced) + kLineFloats - 1) / kLineFloats * kLineFloats;
    size = std::max(size, kLineFloats);
  } else if (type_ == OperationType::kBroadcast) {
    size = static_cast<int64_t>(std::max<size_t>(options_.chunk_bytes, 1));
  }
  chunk_elements_ = size;
  chunks_ = std::max<int64_t>((elements + size - 1) / size, 1);
  CHECK(chunks_ <= int64_t{UINT32_MAX}) << elements_ << " elements are too many chunks";
}

// Where things are.

int SliceMember::OwnerOf(int64_t chunk) const {
  if (fixed_owner_ >= 0) return fixed_owner_;
  return static_cast<int>((chunk + operation_) % options_.ranks);
}

// The number of the owner's chunk `n`; may be past the last.
int64_t SliceMember::NthChunkOf(int owner, int64_t n) const {
  if (fixed_owner_ >= 0) return owner == fixed_owner_ ? n : chunks_;
  const int64_t ranks = options_.ranks;
  const int64_t first = ((owner - operation_) % ranks + ranks) % ranks;
  return first + n * ranks;
}

int64_t SliceMember::ChunkSize(int64_t chunk) const {
  return std::min(chunk_elements_, static_cast<int64_t>(elements_) - ChunkBegin(chunk));
}

uint64_t SliceMember::ContributionBytes(int rank, int64_t chunk) const {
  if (type_ != OperationType::kSumFloat32) return 0;
  return static_cast<uint64_t>(roots_[static_cast<size_t>(rank)] * ChunkSize(chunk)) *
         sizeof(float);
}

uint64_t SliceMember::ResultBytes(int64_t chunk) const {
  const auto elements = static_cast<uint64_t>(ChunkSize(chunk));
  return type_ == OperationType::kSumFloat32 ? elements * sizeof(float) : elements;
}

// The board's roots of the chunk, one after the other. One root, the usual case, is sent from where
// it is.
Payload SliceMember::Contribution(int64_t chunk) const {
  if (type_ != OperationType::kSumFloat32) return {};
  const size_t bytes = static_cast<size_t>(ChunkSize(chunk)) * sizeof(float);
  const auto row = [&](int64_t root) {
    return std::string_view(reinterpret_cast<const char*>(buffer_->root(root) + ChunkBegin(chunk)),
                            bytes);
  };
  if (buffer_->roots() == 1) return {.owner = buffer_->memory(), .bytes = row(0)};
  auto copy = std::make_shared<std::string>();
  copy->reserve(bytes * static_cast<size_t>(buffer_->roots()));
  for (int64_t root = 0; root < buffer_->roots(); ++root) copy->append(row(root));
  const std::string_view view = *copy;
  return {.owner = std::move(copy), .bytes = view};
}

char* SliceMember::ResultPlace(int64_t chunk) const {
  if (type_ == OperationType::kSumFloat32) {
    return reinterpret_cast<char*>(buffer_->writable_sum() + ChunkBegin(chunk));
  }
  return broadcast_ == nullptr ? nullptr : broadcast_->data() + ChunkBegin(chunk);
}

uint16_t SliceMember::PlanHash() const {
  const uint64_t chunking = MixKey(options_.star_bytes, options_.chunk_bytes);
  return static_cast<uint16_t>(MixKey(static_cast<uint64_t>(options_.shards),
                                      static_cast<uint64_t>(options_.ranks), chunking,
                                      static_cast<uint64_t>(fixed_owner_ + 1)));
}

FrameHeader SliceMember::Header(FrameKind kind, int64_t chunk) const {
  return {.kind = kind,
          .source = static_cast<uint16_t>(options_.rank),
          .plan_hash = PlanHash(),
          .fence = options_.fence.value(),
          .operation = static_cast<uint32_t>(std::max<int64_t>(operation_, 0)),
          .chunk = static_cast<uint32_t>(chunk),
          .type = type_,
          .elements = elements_};
}

// Frames.

void SliceMember::SendContributions() {
  // Round after round over the peers, starting behind this rank, so that not all boards send to the
  // same one at once.
  for (bool any = true; any;) {
    any = false;
    for (int step = 1; step < options_.ranks; ++step) {
      const int owner = (options_.rank + step) % options_.ranks;
      Peer& peer = peers_[static_cast<size_t>(owner)];
      const int64_t chunk = NthChunkOf(owner, peer.sent);
      if (chunk >= chunks_ || peer.sent >= peer.results + limits::kChunkWindow) continue;
      ++peer.sent;
      any = true;
      Payload payload = Contribution(chunk);
      counters_.bytes_sent += static_cast<int64_t>(payload.bytes.size());
      outgoing_.push_back({.rank = owner,
                           .header = Header(FrameKind::kContribution, chunk),
                           .payload = std::move(payload)});
    }
  }
}

void SliceMember::OnReceived(Received received, MonotonicTime now) {
  if (!status_.ok()) return;
  if (received.lost) {
    Fail(Unavailable(NameOf(received.rank) + " is lost: its connection broke"), true);
    return;
  }
  const FrameHeader& header = received.header;
  if (header.fence != options_.fence.value()) {
    ++counters_.stale_frames;
  } else if (header.kind == FrameKind::kAbort) {
    Fail(DecodeAbort(received.payload.bytes), false);
  } else if (header.source != received.rank) {
    Fail(BadFrame(received, "it names another sender"), true);
  } else if (header.operation == operation_ && active_) {
    OnFrame(std::move(received), now);
  } else if (header.operation <= operation_) {
    ++counters_.stale_frames;
  } else if (header.operation == operation_ + 1) {
    const auto from_it = std::count_if(early_.begin(), early_.end(), [&](const Received& early) {
      return early.rank == received.rank;
    });
    if (from_it >= limits::kChunkWindow) {
      Fail(BadFrame(received, "it sends more than its window"), true);
      return;
    }
    early_.push_back(std::move(received));
  } else {
    Fail(BadFrame(received, "it is in operation " + std::to_string(header.operation)), true);
  }
}

void SliceMember::OnFrame(Received received, MonotonicTime now) {
  const FrameHeader& header = received.header;
  if (header.type != type_ || header.elements != elements_ || header.plan_hash != PlanHash()) {
    Fail(Mismatch(received), true);
    return;
  }
  const bool contribution = header.kind == FrameKind::kContribution;
  const int owner = contribution ? options_.rank : received.rank;
  if (header.chunk >= chunks_ || OwnerOf(header.chunk) != owner) {
    Fail(BadFrame(received, "chunk " + std::to_string(header.chunk) + " is not its owner's"), true);
    return;
  }
  const uint64_t expected =
      contribution ? ContributionBytes(received.rank, header.chunk) : ResultBytes(header.chunk);
  if (received.payload.bytes.size() != expected) {
    Fail(BadFrame(received, "it has " + std::to_string(received.payload.bytes.size()) +
                                " bytes instead of " + std::to_string(expected)),
         true);
    return;
  }
  if (finished_[header.chunk]) {
    ++counters_.stale_frames;
    return;
  }
  progress_ = now;
  counters_.bytes_received += static_cast<int64_t>(expected);
  if (contribution) {
    OnContribution(std::move(received));
  } else {
    OnResult(received);
  }
}

void SliceMember::OnContribution(Received received) {
  const int64_t chunk = received.header.chunk;
  const auto [place, is_new] = own_.try_emplace(chunk);
  OwnChunk& own = place->second;
  if (is_new) {
    own.contributions.resize(peers_.size());
    own.missing = options_.ranks - 1;
  }
  std::optional<Payload>& slot = own.contributions[static_cast<size_t>(received.rank)];
  if (slot.has_value()) {
    ++counters_.stale_frames;
    return;
  }
  slot = std::move(received.payload);
  if (--own.missing == 0) FinishChunk(chunk);
}

void SliceMember::FinishChunk(int64_t chunk) {
  if (type_ == OperationType::kSumFloat32) SumChunk(chunk, own_.at(chunk));
  own_.erase(chunk);
  Payload result;
  if (type_ == OperationType::kSumFloat32) {
    result.owner = buffer_->memory();
  } else {
    result.owner = broadcast_;
  }
  result.bytes = std::string_view(ResultPlace(chunk), ResultBytes(chunk));
  for (int step = 1; step < options_.ranks; ++step) {
    counters_.bytes_sent += static_cast<int64_t>(result.bytes.size());
    outgoing_.push_back({.rank = (options_.rank + step) % options_.ranks,
                         .header = Header(FrameKind::kResult, chunk),
                         .payload = result});
  }
  --own_left_;
  TakeResult(chunk);
}

void SliceMember::SumChunk(int64_t chunk, const OwnChunk& own) {
  const int64_t size = ChunkSize(chunk);
  std::vector<std::vector<float>> aligned(peers_.size());
  std::vector<const float*> inputs;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    const size_t at = static_cast<size_t>(rank);
    for (int64_t root = 0; root < roots_[at]; ++root) {
      if (rank == options_.rank) {
        inputs.push_back(buffer_->root(root) + ChunkBegin(chunk));
      } else {
        inputs.push_back(AsFloats(own.contributions[at]->bytes, aligned[at]) + root * size);
      }
    }
  }
  root_sum_.Sum(inputs, buffer_->writable_sum() + ChunkBegin(chunk), size);
}

void SliceMember::OnResult(const Received& received) {
  const int64_t chunk = received.header.chunk;
  const std::string_view bytes = received.payload.bytes;
  if (!bytes.empty()) std::memcpy(ResultPlace(chunk), bytes.data(), bytes.size());
  ++peers_[static_cast<size_t>(received.rank)].results;
  SendContributions();
  TakeResult(chunk);
}

void SliceMember::TakeResult(int64_t chunk) {
  finished_[static_cast<size_t>(chunk)] = true;
  if (--left_ > 0) return;
  active_ = false;
  buffer_ = nullptr;
  ++counters_.operations;
}

std::vector<Outgoing> SliceMember::TakeOutgoing() { return std::exchange(outgoing_, {}); }

std::string SliceMember::TakeBroadcast() {
  CHECK(done() && broadcast_ != nullptr);
  // Frames may still point into the root's string; nobody else has seen another's.
  return fixed_owner_ == options_.rank ? *broadcast_ : std::move(*broadcast_);
}

// Failure.

MonotonicTime SliceMember::deadline() const {
  const Duration base = type_ == OperationType::kJoin ? options_.join_deadline : options_.deadline;
  return progress_ + (OwnsUnfinished() ? base : base * 5 / 4);
}

void SliceMember::OnTime(MonotonicTime now) {
  if (done() || now < deadline()) return;
  const Duration waited = std::chrono::duration_cast<Duration>(now - progress_);
  Fail(DeadlineExceeded(Title() + ": " + Missing() + " for " + FormatDuration(waited)), true);
}

void SliceMember::Abort(const Status& cause) {
  CHECK(!cause.ok());
  if (!status_.ok()) return;
  Fail(cause.Annotate(NameOf(options_.rank)), true);
}

void SliceMember::Fail(Status status, bool tell_others) {
  status_ = std::move(status);
  active_ = false;
  buffer_ = nullptr;
  own_.clear();
  early_.clear();
  outgoing_.clear();
  if (!tell_others) return;
  const Payload payload = Payload::Copy(EncodeAbort(status_));
  for (int rank = 0; rank < options_.ranks; ++rank) {
    if (rank == options_.rank) continue;
    outgoing_.push_back({.rank = rank, .header = Header(FrameKind::kAbort, 0), .payload = payload});
  }
}

std::string SliceMember::NameOf(int rank) const {
  std::string name = "rank " + std::to_string(rank);
  const auto at = static_cast<size_t>(rank);
  if (at < options_.boards.size()) name += " (" + options_.boards[at] + ")";
  return name;
}

std::string SliceMember::Title() const {
  return std::string(OperationName(type_)) + " (operation " + std::to_string(operation_) + ")";
}

// Who is waited for: those whose contribution to the first unfinished own chunk is not there, or
// else the owners of the chunks without a result.
std::string SliceMember::Missing() const {
  std::vector<bool> missing(peers_.size());
  for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
    if (finished_[static_cast<size_t>(chunk)]) continue;
    const int owner = OwnerOf(chunk);
    if (!OwnsUnfinished()) missing[static_cast<size_t>(owner)] = true;
    if (owner != options_.rank) continue;
    const auto own = own_.find(chunk);
    for (size_t rank = 0; rank < peers_.size(); ++rank) {
      missing[rank] = own == own_.end() || !own->second.contributions[rank].has_value();
    }
    missing[static_cast<size_t>(options_.rank)] = false;
    break;
  }
  std::string text;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    if (missing[static_cast<size_t>(rank)]) text += (text.empty() ? "" : ", ") + NameOf(rank);
  }
  return (OwnsUnfinished() ? "nothing from " : "no result from ") + text;
}

// The same text on both sides: the lower rank first.
Status SliceMember::Mismatch(const Received& received) const {
  const FrameHeader& other = received.header;
  const auto says = [&](int rank, OperationType type, uint64_t elements) {
    return NameOf(rank) + ": " + std::string(OperationName(type)) + " of " +
           std::to_string(elements) + " elements";
  };
  std::string first = says(options_.rank, type_, elements_);
  std::string second = says(received.rank, other.type, other.elements);
  if (received.rank < options_.rank) std::swap(first, second);
  std::string text =
      "operation " + std::to_string(operation_) + " differs: " + first + "; " + second;
  if (other.type == type_ && other.elements == elements_) {
    text += "; with other shards, boards, chunks or root";
  }
  return FailedPrecondition(std::move(text));
}

Status SliceMember::BadFrame(const Received& received, std::string_view what) const {
  return Internal(Title() + " of " + NameOf(options_.rank) + ": a frame of " +
                  NameOf(received.rank) + " cannot be: " + std::string(what));
}

}  // namespace octet
