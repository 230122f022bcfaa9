// Manifest files to checked objects: the documents of several files, all or none.
#pragma once

#include <string>
#include <vector>

#include "shared/base/file_system.h"
#include "shared/objects/kinds.h"

namespace octet::cli {

struct Manifest {
  std::string file;  // As the user named it; "standard input" for "-".
  Object object;     // Defaults filled in; data files made absolute.
};

// Reads every file ("-": standard input; a folder: its *.yaml, *.yml and *.json in order of name).
// Relative data files of a job are taken from the manifest's folder (standard input: the working
// folder). kInvalidArgument: every fault of every file, one a line, "job.yaml:12:5: spec.training:
// …". kNotFound and others: a file that cannot be read.
Result<std::vector<Manifest>> ReadManifests(const FileSystem& files,
                                            const std::vector<std::string>& paths,
                                            const std::string& working_folder,
                                            const std::string& default_namespace);

}  // namespace octet::cli
