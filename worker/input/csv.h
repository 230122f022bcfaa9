// CSV files to a Dataset: one header line, one target column, all other columns are inputs in the
// order of the first file. Strict: what cannot be read as it stands is an error, never a guess.
//
// The format is RFC 4180 as far as numbers need it: fields are separated by commas, may stand in
// double quotes, lines end in LF or CRLF, the last line's end may be missing, a byte order mark is
// skipped. Every file repeats the header (columns may not differ in name or order). Empty lines are
// refused except at the end. Reads through the FileSystem seam; no threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shared/base/file_system.h"
#include "shared/base/status.h"
#include "worker/input/dataset.h"

namespace octet {

struct CsvOptions {
  std::vector<std::string> files;
  std::string target;    // Name of the target column.
  int64_t classes = 0;   // More than 0: the target is a class index in [0, classes).
  bool one_hot = false;  // The class becomes a row of `classes` numbers; needs classes > 0.
};

// kNotFound or kPermissionDenied for a file that cannot be read; kInvalidArgument for what is wrong
// in one, as "data/iris.csv:12: column petal_width: "x" is not a number; …"; both name the fix.
Result<Dataset> ReadCsv(const FileSystem& files, const CsvOptions& options);

// Adds the examples of one file's text to `data`, whose columns are taken from it if it has none
// yet. `name` stands in the messages.
Status AppendCsv(std::string_view text, const std::string& name, const CsvOptions& options,
                 Dataset& data);

}  // namespace octet
