#include "shared/base/file_system.h"

namespace octet {

Status WriteFileAtomically(FileSystem& files, const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp";
  OCTET_RETURN_IF_ERROR(files.Write(temporary, bytes));
  OCTET_RETURN_IF_ERROR(files.Sync(temporary));
  OCTET_RETURN_IF_ERROR(files.Rename(temporary, path));
  return files.Sync(ParentPath(path));
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  std::string path(folder);
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

std::string ParentPath(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

}  // namespace octet
