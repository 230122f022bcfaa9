// Random transactions against a deliberately dumb second implementation: a map from key to text.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "coordinator/store/store.h"
#include "shared/base/random.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

struct DumbRow {
  std::string uid;
  int64_t priority = 0;
  int64_t version = 0;
  int64_t generation = 0;
};

// Keys are names; one kind, one namespace.
struct DumbStore {
  std::map<std::string, DumbRow> rows;
  int64_t version = 0;
};

Object Job(const std::string& name, const std::string& uid, int64_t priority) {
  Object object{.kind = Kind::kTrainingJob, .meta = {}, .spec = Value::MakeMap(), .status = {}};
  object.meta.name = name;
  object.meta.ns = "default";
  object.meta.uid = uid;
  object.spec.Set("priority", priority);
  return object;
}

// Applies one write to `dumb`; false if it must be refused.
bool ApplyDumb(const Write& write, DumbStore& dumb) {
  if (const auto* create = std::get_if<CreateObject>(&write)) {
    const std::string& name = create->object.meta.name;
    if (dumb.rows.contains(name)) return false;
    dumb.rows[name] = {.uid = create->object.meta.uid,
                       .priority = create->object.spec.Find("priority")->AsInt(),
                       .version = ++dumb.version,
                       .generation = 1};
    return true;
  }
  if (const auto* update = std::get_if<UpdateObject>(&write)) {
    const auto row = dumb.rows.find(update->object.meta.name);
    if (row == dumb.rows.end() || row->second.uid != update->object.meta.uid) return false;
    if (update->expected_version != 0 && update->expected_version != row->second.version) {
      return false;
    }
    const int64_t priority = update->object.spec.Find("priority")->AsInt();
    if (priority == row->second.priority) return true;
    row->second.priority = priority;
    row->second.version = ++dumb.version;
    ++row->second.generation;
    return true;
  }
  const auto& remove = std::get<DeleteObject>(write);
  const auto row = dumb.rows.find(remove.key.name);
  if (row == dumb.rows.end()) return false;
  if (!remove.uid.empty() && remove.uid != row->second.uid) return false;
  if (remove.expected_version != 0 && remove.expected_version != row->second.version) return false;
  dumb.rows.erase(row);
  ++dumb.version;
  return true;
}

Write RandomWrite(Random& random, const DumbStore& dumb) {
  const std::string name = std::string("job-") + static_cast<char>('a' + random.Below(6));
  const auto row = dumb.rows.find(name);
  const std::string uid = row != dumb.rows.end() && random.Below(8) != 0
                              ? row->second.uid
                              : "uid-" + std::to_string(random.Below(4));
  const int64_t version = row == dumb.rows.end() || random.Below(2) == 0 ? 0
                          : random.Below(8) == 0                         ? row->second.version + 1
                                                                         : row->second.version;
  const auto priority = static_cast<int64_t>(random.Below(3));
  switch (random.Below(4)) {
    case 0:
      return CreateObject{Job(name, uid, priority)};
    case 1:
      return DeleteObject{.key = {Kind::kTrainingJob, "default", name},
                          .uid = random.Below(2) == 0 ? "" : uid,
                          .expected_version = version};
    default:
      return UpdateObject{Job(name, uid, priority), version};
  }
}

void ExpectSame(const Store& store, const DumbStore& dumb) {
  const Snapshot all = store.All().value();
  ASSERT_EQ(all.resource_version, dumb.version);
  ASSERT_EQ(all.objects.size(), dumb.rows.size());
  auto row = dumb.rows.begin();
  for (const Object& object : all.objects) {
    ASSERT_EQ(object.meta.name, row->first);
    ASSERT_EQ(object.meta.uid, row->second.uid);
    ASSERT_EQ(object.spec.Find("priority")->AsInt(), row->second.priority);
    ASSERT_EQ(object.meta.resource_version, row->second.version);
    ASSERT_EQ(object.meta.generation, row->second.generation);
    ++row;
  }
}

// A watcher's copy, fed with changes alone, must equal the store.
void Follow(const Store& store, int64_t& seen, std::map<std::string, std::string>& copy) {
  for (const Change& change : store.ChangesSince(seen).value()) {
    ASSERT_GT(change.version(), seen);
    seen = change.version();
    if (change.type == ChangeType::kDeleted) {
      ASSERT_EQ(copy.erase(change.object->meta.name), 1u);
    } else {
      const bool is_new = !copy.contains(change.object->meta.name);
      ASSERT_EQ(is_new, change.type == ChangeType::kAdded);
      copy[change.object->meta.name] = WriteCanonicalJson(EncodeObject(*change.object));
    }
  }
  std::map<std::string, std::string> live;
  const Snapshot all = store.All().value();
  for (const Object& object : all.objects) {
    live[object.meta.name] = WriteCanonicalJson(EncodeObject(object));
  }
  ASSERT_EQ(copy, live);
}

// `reopen` gives the store anew now and then; nothing for a store that cannot.
void RunRandomTransactions(std::unique_ptr<Store> store, uint64_t seed, int rounds,
                           const std::function<std::unique_ptr<Store>()>& reopen) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  DumbStore dumb;
  int64_t seen = 0;
  std::map<std::string, std::string> copy;
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    DumbStore after = dumb;
    std::vector<Write> writes;
    bool allowed = true;
    for (uint64_t i = random.Below(4); i > 0; --i) {
      writes.push_back(RandomWrite(random, after));
      allowed = ApplyDumb(writes.back(), after);
      if (!allowed) break;
    }
    const auto outcome = store->Commit(writes);
    ASSERT_EQ(outcome.ok(), allowed) << outcome.status().ToString();
    if (allowed) dumb = after;
    accepted += allowed ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(ExpectSame(*store, dumb));
    ASSERT_NO_FATAL_FAILURE(Follow(*store, seen, copy));
    if (reopen != nullptr && random.Below(20) == 0) {
      store.reset();
      store = reopen();
      ASSERT_NO_FATAL_FAILURE(ExpectSame(*store, dumb));
    }
  }
  EXPECT_GT(accepted, rounds / 4) << "the random writes are nearly all refused: a test of nothing";
}

TEST(StoreProperty, MemoryAgreesWithADumbMap) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    RunRandomTransactions(MakeMemoryStore(), seed, 300, nullptr);
  }
}

TEST(StoreProperty, SqliteAgreesWithADumbMapAcrossReopening) {
  std::string folder = testing::TempDir() + "octet-store-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  for (uint64_t seed = 100; seed < 104; ++seed) {
    const std::string path = folder + "/" + std::to_string(seed) + ".db";
    const auto open = [&] { return OpenSqliteStore(path).value(); };
    RunRandomTransactions(open(), seed, 150, open);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace octet
