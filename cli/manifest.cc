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

}  // namespace

Result<std::vector<Manifest>> ReadManifests(const FileSystem& files,
                                            const std::vector<std::string>& paths,
                                            const std::string& working_folder,
                                            const std::string& default_namespace) {
  std::vector<Manifest> manifests;
  std::string faults_text;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    OCTET_ASSIGN_OR_RETURN(const std::vector<std::string> expanded, ExpandPath(files, path));
    for (const std::string& file : expanded) {
      const std::string label = file == "-" ? "standard input" : file;
      OCTET_ASSIGN_OR_RETURN(const std::string text, ReadText(files, file));
      YamlDocuments read = ReadYaml(text);
      Faults faults = std::move(read.faults);
      const bool readable = faults.empty();
      for (Value& document : read.documents) {
        if (!readable) break;  // Half a document would only give faults that are not there.
        Value* meta = document.Find("metadata");
        if (meta != nullptr && meta->is_map() && meta->Find("namespace") == nullptr) {
          meta->Set("namespace", default_namespace);
        }
        Object object = CheckDocument(document, faults);
        if (object.kind == Kind::kTrainingJob) {
          MakeDataFilesAbsolute(object.spec, FolderOf(file, working_folder));
        }
        if (!InfoOf(object.kind).namespaced) object.meta.ns.clear();
        const std::string identity =
            InfoOf(object.kind).plural + "/" + object.meta.ns + "/" + object.meta.name;
        if (faults.empty() && !seen.insert(identity).second) {
          faults.push_back({.path = "metadata.name",
                            .message = InfoOf(object.kind).name + " " + object.meta.name +
                                       " is described twice; leave one",
                            .position = document.position,
                            .reason = "FieldValueDuplicate"});
        }
        manifests.push_back({.file = label, .object = std::move(object)});
      }
      if (readable && read.documents.empty()) {
        faults.push_back({.path = "", .message = "holds no document; write at least one object"});
      }
      if (!faults.empty()) {
        if (!faults_text.empty()) faults_text += '\n';
        faults_text += FormatFaults(label, faults);
      }
    }
  }
  if (!faults_text.empty()) {
    while (faults_text.ends_with('\n')) faults_text.pop_back();
    return InvalidArgument(faults_text);
  }
  return manifests;
}

}  // namespace octet::cli
