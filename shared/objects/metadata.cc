#include "shared/objects/metadata.h"

#include <algorithm>
#include <charconv>

#include "shared/objects/field_reader.h"

namespace octet {
namespace {

constexpr size_t kDnsLabelBytesMax = 63;
constexpr size_t kDnsSubdomainBytesMax = 253;
// A session is named JOB-ATTEMPT and a board POOL-ORDINAL: a dash and a number of up to ten digits.
constexpr size_t kNumberSuffixBytes = 11;
// As in Kubernetes: all annotations of an object together.
constexpr size_t kAnnotationBytesMax = 256 * 1024;

const std::vector<std::string>& KnownFields() {
  static const std::vector<std::string> known = {"name",
                                                 "namespace",
                                                 "labels",
                                                 "annotations",
                                                 "uid",
                                                 "resourceVersion",
                                                 "generation",
                                                 "creationTimestamp",
                                                 "deletionTimestamp",
                                                 "finalizers",
                                                 "managedFields",
                                                 "ownerReferences",
                                                 "generateName",
                                                 "selfLink",
                                                 "deletionGracePeriodSeconds"};
  return known;
}

bool IsLowerAlphanumeric(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

// RFC 1123: lower case letters, digits and dashes, beginning and ending with a letter or digit. A
// subdomain is labels with dots between.
bool IsDnsLabel(std::string_view text) {
  if (text.empty() || !IsLowerAlphanumeric(text.front()) || !IsLowerAlphanumeric(text.back())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char letter) { return IsLowerAlphanumeric(letter) || letter == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  while (true) {
    const size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// The part of a label's key after the slash, and a label's value: letters, digits, '-', '_' and
// '.', beginning and ending with a letter or digit.
bool IsQualifiedWord(std::string_view text) {
  const auto alphanumeric = [](char letter) {
    return IsLowerAlphanumeric(letter) || (letter >= 'A' && letter <= 'Z');
  };
  if (text.empty() || text.size() > kDnsLabelBytesMax) return false;
  if (!alphanumeric(text.front()) || !alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    return alphanumeric(letter) || letter == '-' || letter == '_' || letter == '.';
  });
}

bool IsLabelKey(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsQualifiedWord(key);
  return slash <= kDnsSubdomainBytesMax && IsDnsSubdomain(key.substr(0, slash)) &&
         IsQualifiedWord(key.substr(slash + 1));
}

// `list` may be null.
Result<std::vector<OwnerReference>> DecodeOwners(const Value* list) {
  std::vector<OwnerReference> owners;
  if (list == nullptr || list->is_null()) return owners;
  if (!list->is_list()) return InvalidArgument("must be a list");
  for (const Value& item : list->AsList()) {
    FieldReader reader(&item, "ownerReferences");
    OwnerReference owner{.api_version = reader.String("apiVersion"),
                         .kind = reader.String("kind"),
                         .name = reader.String("name"),
                         .uid = reader.String("uid"),
                         .controller = reader.Bool("controller"),
                         .block_owner_deletion = reader.Bool("blockOwnerDeletion")};
    OCTET_RETURN_IF_ERROR(reader.status());
    if (owner.api_version.empty() || owner.kind.empty() || owner.name.empty() ||
        owner.uid.empty()) {
      return InvalidArgument("each owner needs apiVersion, kind, name and uid");
    }
    owners.push_back(std::move(owner));
  }
  return owners;
}

Value EncodeOwners(const std::vector<OwnerReference>& owners) {
  Value::List list;
  for (const OwnerReference& owner : owners) {
    Value item = Value::MakeMap();
    item.Set("apiVersion", owner.api_version);
    item.Set("kind", owner.kind);
    item.Set("name", owner.name);
    item.Set("uid", owner.uid);
    if (owner.controller) item.Set("controller", true);
    if (owner.block_owner_deletion) item.Set("blockOwnerDeletion", true);
    list.push_back(std::move(item));
  }
  return Value::MakeList(std::move(list));
}

// Collects the faults of one metadata map.
class MetadataChecker {
 public:
  MetadataChecker(const KindInfo* info, const Value& metadata, Faults& faults)
      : info_(info), metadata_(metadata), faults_(faults) {}

  ObjectMeta Check() {
    CheckUnknown();
    ObjectMeta meta;
    meta.name = CheckName();
    meta.ns = CheckNamespace();
    meta.labels = CheckStrings("labels");
    meta.annotations = CheckStrings("annotations");
    meta.uid = Text("uid");
    meta.resource_version = CheckResourceVersion();
    if (const Value* generation = Find("generation"); generation != nullptr) {
      if (generation->is_int()) {
        meta.generation = generation->AsInt();
      } else {
        Add("generation", *generation, "must be a whole number; got " + Describe(*generation));
      }
    }
    meta.created = CheckTime("creationTimestamp").value_or(TimePoint());
    meta.deleted = CheckTime("deletionTimestamp");
    meta.finalizers = CheckFinalizers();
    meta.generate_name = Text("generateName");
    meta.owners = CheckOwners();
    if (const Value* managed = Find("managedFields"); managed != nullptr) {
      meta.managed_fields = *managed;
    }
    return meta;
  }

 private:
  const Value* Find(std::string_view key) const {
    const Value* value = metadata_.Find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  void Add(const std::string& key, const Value& value, std::string message) {
    faults_.push_back({.path = MemberPath("metadata", key),
                       .message = std::move(message),
                       .position = value.position});
  }

  void CheckUnknown() {
    for (const Value::Member& member : metadata_.AsMap()) {
      const std::vector<std::string>& known = KnownFields();
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const std::string meant = DidYouMean(member.key, known);
      faults_.push_back(
          {.path = MemberPath("metadata", member.key),
           .message = "unknown field " + Describe(Value(member.key)) +
                      (meant.empty() ? "; your own data goes into labels or annotations"
                                     : "; did you mean " + meant + "?"),
           .position = member.key_position,
           .reason = kUnknownField});
    }
  }

  std::string Text(const std::string& key) {
    const Value* value = Find(key);
    if (value == nullptr) return "";
    if (value->is_string()) return value->AsString();
    Add(key, *value, "must be a string; got " + Describe(*value));
    return "";
  }

  std::string CheckName() {
    const Value* value = Find("name");
    if (value == nullptr) {
      const bool typing_mistake = std::any_of(
          metadata_.AsMap().begin(), metadata_.AsMap().end(),
          [](const auto& member) { return DidYouMean(member.key, KnownFields()) == "name"; });
      if (Find("generateName") != nullptr) {
        Add("generateName", *Find("generateName"),
            "only makes a name when an object is created: here, give the name");
      } else if (!typing_mistake) {
        faults_.push_back({.path = "metadata.name",
                           .message = "is required",
                           .position = metadata_.position,
                           .reason = "FieldValueRequired"});
      }
      return "";
    }
    if (!value->is_string()) {
      Add("name", *value,
          "must be a string (in quotes if it is a number); got " + Describe(*value));
      return "";
    }
    const std::string& name = value->AsString();
    // A quota is named as its user, who may have an address with dots; a role may have colons.
    const bool dots = info_ == nullptr || NameBytesMax(info_->kind) == kDnsSubdomainBytesMax;
    const bool role = info_ != nullptr && info_->group == "rbac.authorization.k8s.io";
    const bool legal = role   ? name.find_first_of("/%") == std::string::npos && !name.empty()
                       : dots ? IsDnsSubdomain(name)
                              : IsDnsLabel(name);
    if (!legal) {
      Add("name", *value,
          std::string("must be lower case letters, digits and dashes") +
              (dots ? " (and dots between)" : "") +
              ", beginning and ending with a letter or digit; got " + Describe(*value));
    }
    CheckNameLength(*value);
    return name;
  }

  void CheckNameLength(const Value& name) {
    const size_t longest = info_ == nullptr ? kDnsSubdomainBytesMax : NameBytesMax(info_->kind);
    const size_t bytes = name.AsString().size();
    if (bytes <= longest) return;
    std::string why;
    if (info_ != nullptr && info_->kind == Kind::kTrainingJob) {
      why = ", since the names of its sessions append an attempt number";
    } else if (info_ != nullptr && info_->kind == Kind::kSlicePool) {
      why = ", since the names of its boards append a number";
    }
    Add("name", name,
        "must be no longer than " + std::to_string(longest) + " characters" + why + "; has " +
            std::to_string(bytes));
  }

  std::string CheckNamespace() {
    const Value* value = Find("namespace");
    const bool namespaced = info_ == nullptr || info_->namespaced;
    if (!namespaced) return "";
    if (value == nullptr) return kDefaultNamespace;
    if (!value->is_string() || !IsDnsLabel(value->AsString()) ||
        value->AsString().size() > kDnsLabelBytesMax) {
      Add("namespace", *value,
          "must be at most 63 lower case letters, digits and dashes, beginning and ending with a "
          "letter or digit; got " +
              Describe(*value));
      return "";
    }
    return value->AsString();
  }

  std::map<std::string, std::string> CheckStrings(const std::string& key) {
    std::map<std::string, std::string> strings;
    const Value* map = Find(key);
    if (map == nullptr) return strings;
    if (!map->is_map()) {
      Add(key, *map, "must be a map of strings; got " + Describe(*map));
      return strings;
    }
    size_t bytes = 0;
    for (const Value::Member& member : map->AsMap()) {
      const std::string path = MemberPath("metadata." + key, member.key);
      const auto fault = [&](Position position, std::string message) {
        faults_.push_back({.path = path, .message = std::move(message), .position = position});
      };
      if (!IsLabelKey(member.key)) {
        fault(member.key_position,
              "must be a word of at most 63 letters, digits, '-', '_' and '.', with a domain and a "
              "slash before it if need be");
      }
      if (!member.value.is_string()) {
        fault(member.value.position,
              "must be a string: put it in quotes; got " + Describe(member.value));
        continue;
      }
      const std::string& text = member.value.AsString();
      if (key == "labels" && !text.empty() && !IsQualifiedWord(text)) {
        fault(member.value.position,
              "must be at most 63 letters, digits, '-', '_' and '.', beginning and ending with a "
              "letter or digit; got " +
                  Describe(member.value));
      }
      bytes += member.key.size() + text.size();
      strings[member.key] = text;
    }
    if (bytes > kAnnotationBytesMax) {
      Add(key, *map, "must be no longer than 256 KiB together; have " + std::to_string(bytes));
    }
    return strings;
  }

  int64_t CheckResourceVersion() {
    const std::string text = Text("resourceVersion");
    if (text.empty()) return 0;
    int64_t version = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error == std::errc() && end == text.data() + text.size() && version >= 0) return version;
    Add("resourceVersion", *Find("resourceVersion"),
        "must be one that the server gave; leave it out to take the newest");
    return 0;
  }

  std::optional<TimePoint> CheckTime(const std::string& key) {
    const std::string text = Text(key);
    if (text.empty()) return std::nullopt;
    const Result<TimePoint> time = ParseTime(text);
    if (time.ok()) return *time;
    Add(key, *Find(key),
        "must be a time such as 2026-12-01T06:00:00Z; got " + Describe(Value(text)));
    return std::nullopt;
  }

  std::vector<std::string> CheckFinalizers() {
    FieldReader reader(&metadata_, "metadata");
    std::vector<std::string> finalizers = reader.Strings("finalizers");
    if (!reader.status().ok()) Add("finalizers", *Find("finalizers"), "must be a list of strings");
    return finalizers;
  }

  std::vector<OwnerReference> CheckOwners() {
    Result<std::vector<OwnerReference>> owners = DecodeOwners(Find("ownerReferences"));
    if (owners.ok()) return *std::move(owners);
    Add("ownerReferences", *Find("ownerReferences"), owners.status().message());
    return {};
  }

  const KindInfo* info_;
  const Value& metadata_;
  Faults& faults_;
};

Result<std::map<std::string, std::string>> DecodeStrings(const FieldReader& reader,
                                                         const std::string& key) {
  std::map<std::string, std::string> strings;
  const Value* map = reader.Find(key);
  if (map == nullptr) return strings;
  if (!map->is_map()) return InvalidArgument("metadata." + key + " must be a map");
  for (const Value::Member& member : map->AsMap()) {
    if (!member.value.is_string()) {
      return InvalidArgument(MemberPath("metadata." + key, member.key) + " must be a string");
    }
    strings[member.key] = member.value.AsString();
  }
  return strings;
}

}  // namespace

size_t NameBytesMax(Kind kind) {
  switch (kind) {
    case Kind::kTrainingJob:
    case Kind::kSlicePool:
      return kDnsLabelBytesMax - kNumberSuffixBytes;
    case Kind::kUserQuota:
      return kDnsSubdomainBytesMax;
    case Kind::kBoard:
    case Kind::kSession:
    case Kind::kNamespace:
    case Kind::kNode:
    case Kind::kPod:
      return kDnsLabelBytesMax;
    case Kind::kConfigMap:
    case Kind::kSecret:
    case Kind::kServiceAccount:
    case Kind::kEvent:
    case Kind::kLease:
    case Kind::kRole:
    case Kind::kClusterRole:
    case Kind::kRoleBinding:
    case Kind::kClusterRoleBinding:
      break;
  }
  return kDnsSubdomainBytesMax;
}

ObjectMeta CheckMetadata(const KindInfo* info, const Value& document, Faults& faults) {
  const Value* metadata = document.Find("metadata");
  if (metadata == nullptr || metadata->is_null()) {
    faults.push_back({.path = "metadata",
                      .message = "is required, with a name",
                      .position = document.position,
                      .reason = "FieldValueRequired"});
    return {};
  }
  if (!metadata->is_map()) {
    faults.push_back({.path = "metadata",
                      .message = "must be a map with a name; got " + Describe(*metadata),
                      .position = metadata->position});
    return {};
  }
  return MetadataChecker(info, *metadata, faults).Check();
}

Value EncodeMetadata(const ObjectMeta& meta) {
  Value value = Value::MakeMap();
  value.Set("name", meta.name);
  if (!meta.ns.empty()) value.Set("namespace", meta.ns);
  if (!meta.uid.empty()) value.Set("uid", meta.uid);
  if (meta.resource_version != 0) {
    value.Set("resourceVersion", std::to_string(meta.resource_version));
  }
  if (meta.generation != 0) value.Set("generation", meta.generation);
  if (meta.created != TimePoint()) value.Set("creationTimestamp", FormatTime(meta.created));
  if (meta.deleted) {
    value.Set("deletionTimestamp", FormatTime(*meta.deleted));
    value.Set("deletionGracePeriodSeconds", 0);
  }
  const auto set_strings = [&](std::string_view key,
                               const std::map<std::string, std::string>& strings) {
    if (strings.empty()) return;
    Value map = Value::MakeMap();
    for (const auto& [name, text] : strings) map.Set(name, text);
    value.Set(key, std::move(map));
  };
  set_strings("labels", meta.labels);
  set_strings("annotations", meta.annotations);
  if (!meta.finalizers.empty()) value.Set("finalizers", EncodeStrings(meta.finalizers));
  if (!meta.generate_name.empty()) value.Set("generateName", meta.generate_name);
  if (!meta.owners.empty()) value.Set("ownerReferences", EncodeOwners(meta.owners));
  if (!meta.managed_fields.is_null()) value.Set("managedFields", meta.managed_fields);
  return value;
}

Result<ObjectMeta> DecodeMetadata(const Value* metadata) {
  FieldReader reader(metadata, "metadata");
  ObjectMeta meta;
  meta.name = reader.String("name");
  meta.ns = reader.String("namespace");
  meta.uid = reader.String("uid");
  meta.generation = reader.Int("generation");
  meta.created = reader.Time("creationTimestamp").value_or(TimePoint());
  meta.deleted = reader.Time("deletionTimestamp");
  meta.finalizers = reader.Strings("finalizers");
  meta.generate_name = reader.String("generateName");
  const std::string version = reader.String("resourceVersion");
  OCTET_RETURN_IF_ERROR(reader.status());
  OCTET_ASSIGN_OR_RETURN(meta.labels, DecodeStrings(reader, "labels"));
  OCTET_ASSIGN_OR_RETURN(meta.annotations, DecodeStrings(reader, "annotations"));
  OCTET_ASSIGN_OR_RETURN(meta.owners, DecodeOwners(reader.Find("ownerReferences")));
  if (const Value* managed = reader.Find("managedFields")) meta.managed_fields = *managed;
  if (meta.name.empty()) return InvalidArgument("metadata.name is missing");
  if (!version.empty()) {
    const char* const end = version.data() + version.size();
    const auto [stop, error] = std::from_chars(version.data(), end, meta.resource_version);
    if (error != std::errc() || stop != end) {
      return InvalidArgument("metadata.resourceVersion must be a number in quotes");
    }
  }
  return meta;
}

}  // namespace octet
