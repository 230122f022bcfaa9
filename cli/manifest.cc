#include "cli/manifest.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>
#include <utility>

#include "shared/base/limits.h"
#include "shared/base/units.h"
#include "shared/objects/yaml.h"

namespace octet::cli {
namespace {

bool IsManifestName(const std::string& name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// The files that `path` stands for.
Result<std::vector<std::string>> ExpandPath(const FileSystem& files, const std::string& path) {
  if (path == "-") return std::vector<std::string>{path};
  const Result<std::vector<std::string>> entries = files.List(path);
  if (!entries.ok()) return std::vector<std::string>{path};  // A file, or a clear error on reading.
  std::vector<std::string> names;
  for (const std::string& name : *entries) {
    if (IsManifestName(name)) names.push_back(JoinPath(path, name));
  }
  if (names.empty()) return NotFound(path + ": no .yaml, .yml or .json file in this folder");
  return names;
}

Result<std::string> ReadText(const FileSystem& files, const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  } else {
    Result<std::string> bytes = files.Read(path);
    if (!bytes.ok()) return bytes.status();
    text = std::move(bytes).value();
  }
  if (text.size() > limits::kManifestBytesMax) {
    return InvalidArgument(path + ": longer than " + FormatBytes(Bytes(limits::kManifestBytesMax)));
  }
  return text;
}

// Workers do not run in the manifest's folder, so that a relative path would mean nothing to them.
void MakeDataFilesAbsolute(Value& spec, const std::string& folder) {
  Value* data = spec.Find("data");
  Value* train = data == nullptr ? nullptr : data->Find("train");
  Value* names = train == nullptr ? nullptr : train->Find("files");
  if (names == nullptr || !names->is_list()) return;
  for (Value& name : names->AsList()) {
    if (name.is_string()) name = Value(JoinPath(folder, name.AsString()));
  }
}

std::string FolderOf(const std::string& path, const std::string& working_folder) {
  if (path == "-") return working_folder;
  return ParentPath(JoinPath(working_folder, path));
}

// Reads manifest files one after the other and collects what they describe and every fault.
class ManifestReader {
 public:
  ManifestReader(const FileSystem& files, std::string working_folder, std::string default_namespace)
      : files_(files),
        working_folder_(std::move(working_folder)),
        default_namespace_(std::move(default_namespace)) {}

  Status ReadFile(const std::string& file) {
    const std::string label = file == "-" ? "standard input" : file;
    OCTET_ASSIGN_OR_RETURN(const std::string text, ReadText(files_, file));
    YamlDocuments read = ReadYaml(text);
    Faults faults = std::move(read.faults);
    if (faults.empty() && read.documents.empty()) {
      faults.push_back({.path = "", .message = "holds no document; write at least one object"});
    }
    for (Value& document : read.documents) {
      manifests_.push_back({.file = label, .object = Check(file, document, faults)});
    }
    if (!faults.empty()) {
      if (!faults_text_.empty()) faults_text_ += '\n';
      faults_text_ += FormatFaults(label, faults);
    }
    return Ok();
  }

  Result<std::vector<Manifest>> Finish() {
    while (faults_text_.ends_with('\n')) faults_text_.pop_back();
    if (!faults_text_.empty()) return InvalidArgument(faults_text_);
    return std::move(manifests_);
  }

 private:
  Object Check(const std::string& file, Value& document, Faults& faults) {
    Value* meta = document.Find("metadata");
    if (meta != nullptr && meta->is_map() && meta->Find("namespace") == nullptr) {
      meta->Set("namespace", default_namespace_);
    }
    const size_t faults_before = faults.size();
    Object object = CheckDocument(document, faults);
    if (object.kind == Kind::kTrainingJob) {
      MakeDataFilesAbsolute(object.spec, FolderOf(file, working_folder_));
    }
    const KindInfo& info = InfoOf(object.kind);
    if (!info.namespaced) object.meta.ns.clear();
    const std::string identity = info.plural + "/" + object.meta.ns + "/" + object.meta.name;
    if (faults.size() == faults_before && !seen_.insert(identity).second) {
      faults.push_back(
          {.path = "metadata.name",
           .message = info.name + " " + object.meta.name + " is described twice; leave one",
           .position = document.position,
           .reason = "FieldValueDuplicate"});
    }
    return object;
  }

  const FileSystem& files_;
  const std::string working_folder_;
  const std::string default_namespace_;
  std::vector<Manifest> manifests_;
  std::string faults_text_;
  std::set<std::string> seen_;
};

}  // namespace

Result<std::vector<Manifest>> ReadManifests(const FileSystem& files,
                                            const std::vector<std::string>& paths,
                                            const std::string& working_folder,
                                            const std::string& default_namespace) {
  ManifestReader reader(files, working_folder, default_namespace);
  for (const std::string& path : paths) {
    OCTET_ASSIGN_OR_RETURN(const std::vector<std::string> expanded, ExpandPath(files, path));
    for (const std::string& file : expanded) OCTET_RETURN_IF_ERROR(reader.ReadFile(file));
  }
  return reader.Finish();
}

}  // namespace octet::cli
