// Server-side apply. What is expected is what Kubernetes documents of it:
// https://kubernetes.io/docs/reference/using-api/server-side-apply/
#include "coordinator/api/managed_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/api/field_set.h"
#include "shared/objects/json.h"

namespace octet {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Value Json(const std::string& text) { return ReadJson(text).value(); }

FieldWriter By(const std::string& manager, const std::string& time = "2026-12-01T06:00:00Z") {
  return {.manager = manager, .api_version = "v1", .now = ParseTime(time).value()};
}

// "manager operation fields" of each entry.
std::vector<std::string> Owners(const Value& managed) {
  std::vector<std::string> lines;
  if (!managed.is_list()) return lines;
  for (const Value& entry : managed.AsList()) {
    lines.push_back(entry.Find("manager")->AsString() + " " + entry.Find("operation")->AsString() +
                    " " + WriteCanonicalJson(*entry.Find("fieldsV1")));
  }
  return lines;
}

// The first apply of a ConfigMap, as the documentation's example.
AppliedFields First() {
  return ApplyFields(Value(), Value(),
                     Json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t",
                       "labels":{"test-label":"test"}},"data":{"key":"some value"}})"),
                     By("kubectl"), false);
}

TEST(ManagedFields, WhoAppliesOwnsWhatHeHasSaid) {
  const AppliedFields made = First();
  EXPECT_THAT(Owners(made.managed),
              ElementsAre(R"(kubectl Apply {"f:data":{"f:key":{}},)"
                          R"("f:metadata":{"f:labels":{"f:test-label":{}}}})"));
  const Value& entry = made.managed.AsList().at(0);
  EXPECT_EQ(*entry.Find("apiVersion"), Value("v1"));
  EXPECT_EQ(*entry.Find("fieldsType"), Value("FieldsV1"));
  EXPECT_EQ(*entry.Find("time"), Value("2026-12-01T06:00:00Z"));
}

TEST(ManagedFields, AnotherValueOfAnothersFieldIsAConflict) {
  const AppliedFields made = First();
  const Value other = Json(R"({"data":{"key":"new value"}})");
  const AppliedFields refused = ApplyFields(made.document, made.managed, other, By("ci"), false);
  ASSERT_THAT(refused.conflicts, SizeIs(1));
  EXPECT_EQ(refused.conflicts[0].path, ".data.key");
  EXPECT_EQ(ConflictMessage(refused.conflicts),
            "Apply failed with 1 conflict: conflict with \"kubectl\": .data.key");
  const AppliedFields forced = ApplyFields(made.document, made.managed, other, By("ci"), true);
  EXPECT_THAT(forced.conflicts, IsEmpty());
  EXPECT_EQ(*forced.document.FindPath("data.key"), Value("new value"));
  EXPECT_THAT(Owners(forced.managed),
              ElementsAre(R"(ci Apply {"f:data":{"f:key":{}}})",
                          R"(kubectl Apply {"f:metadata":{"f:labels":{"f:test-label":{}}}})"));
}

TEST(ManagedFields, TheSameValueIsSharedAndStaysUntilItsLastOwnerLeavesIt) {
  const AppliedFields made = First();
  const AppliedFields both = ApplyFields(made.document, made.managed,
                                         Json(R"({"data":{"key":"some value"}})"), By("ci"), false);
  EXPECT_THAT(both.conflicts, IsEmpty());
  EXPECT_THAT(Owners(both.managed), SizeIs(2));
  const AppliedFields one =
      ApplyFields(both.document, both.managed, Json(R"({"data":{}})"), By("ci"), false);
  EXPECT_EQ(*one.document.FindPath("data.key"), Value("some value"));
  const AppliedFields none = ApplyFields(
      one.document, one.managed, Json(R"({"metadata":{"name":"t"}})"), By("kubectl"), false);
  EXPECT_EQ(none.document.FindPath("data.key"), nullptr);
  EXPECT_EQ(none.document.FindPath("metadata.labels"), nullptr);
  EXPECT_EQ(*none.document.FindPath("metadata.name"), Value("t"));
}

TEST(ManagedFields, AnUpdateTakesWhatItChanges) {
  const AppliedFields made = First();
  const Value after = Json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"t",
      "labels":{"test-label":"test"}},"data":{"key":"edited","more":"x"}})");
  const Value managed = NoteUpdate(made.managed, made.document, after, By("kubectl-edit"));
  EXPECT_THAT(Owners(managed),
              ElementsAre(R"(kubectl Apply {"f:metadata":{"f:labels":{"f:test-label":{}}}})",
                          R"(kubectl-edit Update {"f:data":{"f:key":{},"f:more":{}}})"));
  const AppliedFields again =
      ApplyFields(after, managed, Json(R"({"data":{"key":"some value"}})"), By("kubectl"), false);
  EXPECT_EQ(ConflictMessage(again.conflicts),
            "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using v1: .data.key");
}

TEST(ManagedFields, AFieldThatAnUpdateRemovesIsNobodys) {
  const AppliedFields made = First();
  const Value after = Json(R"({"metadata":{"name":"t","labels":{"test-label":"test"}}})");
  EXPECT_THAT(Owners(NoteUpdate(made.managed, made.document, after, By("x"))),
              ElementsAre(R"(kubectl Apply {"f:metadata":{"f:labels":{"f:test-label":{}}}})"));
}

TEST(ManagedFields, WhatChangesNothingChangesNoOwner) {
  const AppliedFields made = First();
  EXPECT_EQ(NoteUpdate(made.managed, made.document, made.document, By("x", "2026-12-02T06:00:00Z")),
            made.managed);
  const AppliedFields again = ApplyFields(made.document, made.managed, made.document,
                                          By("kubectl", "2026-12-02T06:00:00Z"), false);
  EXPECT_EQ(again.managed, made.managed);
}

TEST(ManagedFields, WhatWasThereBeforeTheFirstApplyHasAnOwnerToo) {
  const AppliedFields refused = ApplyFields(Json(R"({"data":{"key":"old"}})"), Value(),
                                            Json(R"({"data":{"key":"new"}})"), By("ci"), false);
  ASSERT_THAT(refused.conflicts, SizeIs(1));
  EXPECT_EQ(refused.conflicts[0].manager, "\"before-first-apply\" using v1");
}

// Finalizers are a set, owners are told apart by their uids: who adds one has no conflict with who
// has added another.
TEST(ManagedFields, ItemsOfSetsAndKeyedListsHaveTheirOwners) {
  const AppliedFields one = ApplyFields(
      Value(), Value(),
      Json(R"({"metadata":{"finalizers":["a/1"],"ownerReferences":[{"uid":"u","name":"n"}]}})"),
      By("one"), false);
  const AppliedFields two = ApplyFields(
      one.document, one.managed,
      Json(R"({"metadata":{"finalizers":["b/2"],"ownerReferences":[{"uid":"v","name":"m"}]}})"),
      By("two"), false);
  EXPECT_THAT(two.conflicts, IsEmpty());
  EXPECT_EQ(WriteCanonicalJson(*two.document.FindPath("metadata.finalizers")), R"(["a/1","b/2"])");
  EXPECT_THAT(
      Owners(two.managed),
      ElementsAre(
          R"(one Apply {"f:metadata":{"f:finalizers":{"v:\"a/1\"":{}},)"
          R"("f:ownerReferences":{"k:{\"uid\":\"u\"}":{".":{},"f:name":{},"f:uid":{}}}}})",
          R"(two Apply {"f:metadata":{"f:finalizers":{"v:\"b/2\"":{}},)"
          R"("f:ownerReferences":{"k:{\"uid\":\"v\"}":{".":{},"f:name":{},"f:uid":{}}}}})"));
  const AppliedFields left = ApplyFields(
      two.document, two.managed, Json(R"({"metadata":{"finalizers":[]}})"), By("one"), false);
  EXPECT_EQ(WriteCanonicalJson(*left.document.FindPath("metadata.finalizers")), R"(["b/2"])");
}

TEST(ManagedFields, SeveralConflictsAreGroupedByTheirManagers) {
  EXPECT_EQ(
      ConflictMessage({{"\"a\"", ".data.x"}, {"\"b\" using v1", ".data.z"}, {"\"a\"", ".data.y"}}),
      "Apply failed with 3 conflicts: conflicts with \"a\":\n- .data.x\n- .data.y\n"
      "conflicts with \"b\" using v1:\n- .data.z");
}

TEST(ManagedFields, AManagerIsTheProgramThatAsks) {
  EXPECT_EQ(ManagerOfUserAgent("kubectl/v1.35.0 (linux/amd64) kubernetes/abc"), "kubectl");
  EXPECT_EQ(ManagerOfUserAgent(""), "unknown");
  EXPECT_TRUE(CheckManagerName("kubectl").ok());
  EXPECT_TRUE(CheckManagerName(std::string(128, 'a')).ok());
  EXPECT_FALSE(CheckManagerName(std::string(129, 'a')).ok());
  EXPECT_FALSE(CheckManagerName("a\nb").ok());
}

TEST(FieldSet, ComesBackFromItsForm) {
  const Value fields = Json(R"({"f:metadata":{"f:labels":{".":{},"f:a":{}},
      "f:finalizers":{"v:\"x\"":{}}},"f:spec":{"f:priority":{}}})");
  const FieldSet set = FieldSet::Decode(fields).value();
  EXPECT_EQ(WriteCanonicalJson(set.Encode()), WriteCanonicalJson(fields));
  EXPECT_THAT(set.Paths(), ElementsAre(R"(.metadata.finalizers[="x"])", ".metadata.labels",
                                       ".metadata.labels.a", ".spec.priority"));
  for (const char* wrong : {"[]", "\"x\"", "{\"a\":{}}", "{\"f:a\":1}"}) {
    EXPECT_FALSE(FieldSet::Decode(Json(wrong)).ok()) << wrong;
  }
}

TEST(FieldSet, UnionIntersectionAndDifferenceAreThoseOfSets) {
  const FieldSet a = FieldSet::Decode(Json(R"({"f:x":{},"f:y":{"f:z":{}}})")).value();
  const FieldSet b = FieldSet::Decode(Json(R"({"f:x":{},"f:y":{"f:w":{}}})")).value();
  EXPECT_THAT(a.Union(b).Paths(), ElementsAre(".x", ".y.w", ".y.z"));
  EXPECT_THAT(a.Intersection(b).Paths(), ElementsAre(".x"));
  EXPECT_THAT(a.Difference(b).Paths(), ElementsAre(".y.z"));
  EXPECT_TRUE(a.Difference(a).empty());
  EXPECT_EQ(a.Union(a), a);
}

}  // namespace
}  // namespace octet
