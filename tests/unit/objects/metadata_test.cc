// Names, labels and annotations as Kubernetes allows them
// (https://kubernetes.io/docs/concepts/overview/working-with-objects/names and …/labels).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/objects/json.h"
#include "tests/unit/objects/documents.h"

namespace octet {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The faults of a quota with this metadata, without their places.
std::string FaultsOfMetadata(const std::string& metadata, const std::string& kind = "UserQuota") {
  const std::string lines =
      FaultsOf("apiVersion: octet.dev/v1\nkind: " + kind + "\nmetadata: " + metadata + "\n" +
               (kind == "SlicePool" ? "spec: {replicas: 1}\n" : ""));
  return lines.substr(std::min(lines.find(": "), lines.size()));
}

TEST(Metadata, AQuotaIsNamedAsADnsSubdomainAndAPoolAsALabel) {
  const std::string label(63, 'a');
  for (const std::string& name : {std::string("a"), std::string("a-1.b"), std::string("7"),
                                  label + "." + label + "." + label + "." + label.substr(2)}) {
    EXPECT_EQ(FaultsOfMetadata("{name: \"" + name + "\"}"), "") << name;
  }
  for (const std::string& name :
       {std::string(""), std::string("A"), std::string("-a"), std::string("a-"), std::string("a_b"),
        std::string(".a"), std::string("a."), std::string("a..b"), std::string("ä"),
        std::string("a b"), std::string(254, 'a')}) {
    EXPECT_THAT(FaultsOfMetadata("{name: \"" + name + "\"}"), StartsWith(": metadata.name: must "))
        << name;
  }
  EXPECT_EQ(FaultsOfMetadata("{name: a-b}", "SlicePool"), "");
  EXPECT_THAT(FaultsOfMetadata("{name: a.b}", "SlicePool"), StartsWith(": metadata.name: must "));
}

// A board is POOL-ORDINAL, and a board's name is a label of at most 63.
TEST(Metadata, APoolsNameLeavesRoomForItsBoards) {
  EXPECT_EQ(FaultsOfMetadata("{name: " + std::string(52, 'p') + "}", "SlicePool"), "");
  EXPECT_THAT(FaultsOfMetadata("{name: " + std::string(53, 'p') + "}", "SlicePool"),
              HasSubstr("no longer than 52 characters"));
}

TEST(Metadata, ANamespaceIsADnsLabelAndOnlyOfANamespacedKind) {
  const auto faults = [](const std::string& ns) {
    return FaultsOf(Changed(kGoodJob, "{name: digits}", "{name: digits, namespace: " + ns + "}"));
  };
  EXPECT_EQ(faults("team-a"), "");
  EXPECT_EQ(faults(std::string(63, 'a')), "");
  for (const std::string& ns : {std::string(64, 'a'), std::string("a.b"), std::string("A"),
                                std::string("\"\""), std::string("5"), std::string("[a]")}) {
    EXPECT_THAT(faults(ns), HasSubstr("metadata.namespace: must be at most 63")) << ns;
  }
  const Object quota = ObjectOf(
      "apiVersion: octet.dev/v1\nkind: UserQuota\nmetadata: {name: a, namespace: default}\n");
  EXPECT_EQ(quota.meta.ns, "");
}

TEST(Metadata, LabelsAreThoseOfKubernetes) {
  for (const std::string& label :
       {std::string("a: b"), std::string("a: \"\""), std::string("A_b.c-1: X_y.z-1"),
        std::string("example.com/a: b"), std::string(63, 'k') + ": " + std::string(63, 'v')}) {
    EXPECT_EQ(FaultsOfMetadata("{name: a, labels: {" + label + "}}"), "") << label;
  }
  for (const std::string& label :
       {std::string("a: 1"), std::string("a: true"), std::string("a: {b: c}"), std::string("a: -b"),
        std::string("a: b-"), std::string("a: b c"), std::string("\"\": b"), std::string("-a: b"),
        std::string("a b: c"), std::string("/a: b"), std::string("a/: b"), std::string("a/b/c: d"),
        std::string("Example.com/a: b"), std::string(64, 'k') + ": b",
        "k: " + std::string(64, 'v')}) {
    EXPECT_THAT(FaultsOfMetadata("{name: a, labels: {" + label + "}}"),
                StartsWith(": metadata.labels"))
        << label;
  }
  EXPECT_THAT(FaultsOfMetadata("{name: a, labels: [x]}"),
              HasSubstr("metadata.labels: must be a map of strings; got a list"));
}

TEST(Metadata, AnnotationsAreAnyTextUpTo256KiB) {
  const auto faults = [](size_t bytes) {
    return FaultsOfMetadata("{name: a, annotations: {k: \"" + std::string(bytes - 1, '!') + "\"}}");
  };
  EXPECT_EQ(faults(256 * 1024), "");
  EXPECT_THAT(faults(256 * 1024 + 1), HasSubstr("no longer than 256 KiB together"));
}

TEST(Metadata, WhatTheServerGaveIsReadAndWhatItCannotHaveGivenIsRefused) {
  EXPECT_EQ(FaultsOfMetadata("{name: a, uid: u, resourceVersion: \"7\", generation: 2, "
                             "creationTimestamp: 2026-12-01T06:00:00Z, finalizers: [f], "
                             "managedFields: [{}], ownerReferences: [], selfLink: x}"),
            "");
  for (const std::string wrong :
       {"resourceVersion: 7", "resourceVersion: \"-7\"", "resourceVersion: \"x\"",
        "resourceVersion: \"7x\"", "resourceVersion: \"99999999999999999999\"", "generation: \"2\"",
        "creationTimestamp: yesterday", "deletionTimestamp: 5", "uid: 5", "finalizers: f",
        "finalizers: [1]"}) {
    EXPECT_THAT(FaultsOfMetadata("{name: a, " + wrong + "}"),
                StartsWith(": metadata." + wrong.substr(0, wrong.find(':')) + ": must be "))
        << wrong;
  }
}

TEST(Metadata, IsRequiredWithAName) {
  EXPECT_THAT(FaultsOf("apiVersion: octet.dev/v1\nkind: UserQuota\n"),
              HasSubstr("metadata: is required, with a name"));
  EXPECT_THAT(FaultsOfMetadata("{}"), HasSubstr("metadata.name: is required"));
  EXPECT_THAT(FaultsOfMetadata("x"), HasSubstr("metadata: must be a map"));
  // The server makes the name before it looks at the object.
  EXPECT_THAT(FaultsOfMetadata("{generateName: a-}"), HasSubstr("here, give the name"));
  // The misspelt name is the one fault, not a missing name too.
  EXPECT_EQ(FaultsOfMetadata("{nam: a}"),
            ": metadata.nam: unknown field \"nam\"; did you mean name?\n");
}

TEST(Document, TheKindIsWrittenAsItIsNamed) {
  EXPECT_THAT(FaultsOf("apiVersion: octet.dev/v1\nkind: userquota\nmetadata: {name: a}\n"),
              HasSubstr("did you mean UserQuota?"));
  EXPECT_EQ(DecodeObject(ReadJson(R"({"apiVersion": "octet.dev/v1", "kind": "userquota",
                                      "metadata": {"name": "a"}})")
                             .value())
                .status()
                .code(),
            StatusCode::kInvalidArgument);
}

TEST(Document, FaultsOfOnePlaceStayInTheirOrderAndThoseWithoutGoLast) {
  Faults faults;
  for (int i = 0; i < 40; ++i) {
    faults.push_back({.path = std::to_string(i), .message = "m", .position = {.line = i % 2}});
  }
  SortByPlace(faults);
  for (size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(faults[i].path, std::to_string(2 * i + 1));
    EXPECT_EQ(faults[20 + i].path, std::to_string(2 * i));
  }
}

}  // namespace
}  // namespace octet
