#include "worker/input/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "shared/base/limits.h"

namespace octet {
namespace {

constexpr size_t kQuotedInMessageMax = 40;

std::string Quote(std::string_view text) {
  const bool cut = text.size() > kQuotedInMessageMax;
  return "\"" + std::string(text.substr(0, kQuotedInMessageMax)) + (cut ? "…\"" : "\"");
}

// Walks the text line by line. Lines are counted from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }
  // The next line without its end, or nothing after the last one.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number_;
    return line;
  }
  bool OnlyBlankLeft() const { return rest_.find_first_not_of("\r\n") == std::string_view::npos; }
  int64_t number() const { return number_; }

 private:
  std::string_view rest_;
  int64_t number_ = 0;
};

std::string_view TrimBlanks(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Splits a line into `fields` (views into it). False if a quote is not closed or is followed by
// text.
bool SplitFields(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    const size_t comma = line.find(',');
    const std::string_view field = TrimBlanks(line.substr(0, comma));
    if (field.starts_with('"')) {
      const size_t open = line.find('"');
      const size_t close = line.find('"', open + 1);
      if (close == std::string_view::npos) return false;
      fields.push_back(line.substr(open + 1, close - open - 1));
      line.remove_prefix(close + 1);
      const std::string_view after = TrimBlanks(line.substr(0, line.find(',')));
      if (!after.empty()) return false;
      const size_t next = line.find(',');
      if (next == std::string_view::npos) return true;
      line.remove_prefix(next + 1);
      continue;
    }
    fields.push_back(field);
    if (comma == std::string_view::npos) return true;
    line.remove_prefix(comma + 1);
  }
}

std::optional<float> ParseNumber(std::string_view text) {
  text = TrimBlanks(text);
  if (text.starts_with('+')) text.remove_prefix(text.starts_with("+-") ? 0 : 1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  const auto narrow = static_cast<float>(number);
  if (!std::isfinite(narrow)) return std::nullopt;
  return narrow;
}

// Reads one file's lines with the columns fixed by its header.
class CsvReader {
 public:
  CsvReader(std::string name, const CsvOptions& options, Dataset& data)
      : name_(std::move(name)), options_(options), data_(data) {}

  Status Read(std::string_view text) {
    Lines lines(text);
    const auto header = lines.Next();
    if (!header) {
      return InvalidArgument(name_ +
                             ": the file is empty; it needs a header line with column names");
    }
    OCTET_RETURN_IF_ERROR(ReadHeader(*header));
    int64_t rows = 0;
    while (const auto line = lines.Next()) {
      if (line->empty() && lines.OnlyBlankLeft()) break;
      OCTET_RETURN_IF_ERROR(ReadRow(*line, lines.number()));
      ++rows;
    }
    if (rows == 0) {
      return InvalidArgument(name_ + ": there is no example below the header line; add some");
    }
    return Ok();
  }

 private:
  Status ReadHeader(std::string_view line) {
    if (!SplitFields(line, fields_)) return Fault(1, "a quote is not closed; close it");
    names_.assign(fields_.begin(), fields_.end());
    std::set<std::string> seen;
    for (const std::string& column : names_) {
      if (column.empty()) return Fault(1, "a column has no name; name every column");
      if (!seen.insert(column).second) {
        return Fault(1, "column " + column + " is there twice; give each column its own name");
      }
    }
    const auto target = std::find(names_.begin(), names_.end(), options_.target);
    if (target == names_.end()) return Fault(1, MissingTarget());
    if (names_.size() < 2) return Fault(1, "there is only the target column; add input columns");
    target_ = static_cast<size_t>(target - names_.begin());
    std::vector<std::string> inputs = names_;
    inputs.erase(inputs.begin() + static_cast<std::ptrdiff_t>(target_));
    if (data_.examples == 0 && data_.input_names.empty()) {
      data_.input_names = inputs;
      data_.width = static_cast<int64_t>(inputs.size());
      data_.one_hot = options_.one_hot;
      data_.target_width = options_.one_hot ? options_.classes : 1;
    } else if (data_.input_names != inputs) {
      return Fault(1, "the columns differ from those of the first file; give all files one header");
    }
    return Ok();
  }

  std::string MissingTarget() const {
    std::string message =
        "there is no column " + Quote(options_.target) + ", the target; columns are ";
    constexpr size_t kShown = 12;
    for (size_t i = 0; i < std::min(names_.size(), kShown); ++i) {
      message += (i == 0 ? "" : ", ") + names_[i];
    }
    if (names_.size() > kShown) message += ", … " + names_.back();
    return message + "; correct data.train.target or the header";
  }

  Status ReadRow(std::string_view line, int64_t number) {
    if (!SplitFields(line, fields_)) return Fault(number, "a quote is not closed; close it");
    if (fields_.size() != names_.size()) {
      return Fault(number, "the row has " + std::to_string(fields_.size()) +
                               " fields and the header names " + std::to_string(names_.size()) +
                               "; make them equal");
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      const auto value = ParseNumber(fields_[i]);
      if (!value) {
        return Fault(number, "column " + names_[i] + ": " + Quote(fields_[i]) +
                                 " is not a finite number; write it as one or remove the row");
      }
      if (i == target_) {
        OCTET_RETURN_IF_ERROR(ReadTarget(*value, number));
      } else {
        data_.inputs.push_back(*value);
      }
    }
    ++data_.examples;
    return Ok();
  }

  Status ReadTarget(float value, int64_t number) {
    if (options_.classes > 0) {
      const bool whole = value == std::floor(value);
      if (!whole || value < 0) {
        return Fault(number, "column " + names_[target_] + ": " + Quote(fields_[target_]) +
                                 " is not a class index; write whole numbers from 0 to " +
                                 std::to_string(options_.classes - 1));
      }
      if (value >= static_cast<float>(options_.classes)) {
        return Fault(number, "column " + names_[target_] + ": class " +
                                 std::string(fields_[target_]) + " of example " +
                                 std::to_string(data_.examples) + " is out of range: there are " +
                                 std::to_string(options_.classes) + " classes, 0 to " +
                                 std::to_string(options_.classes - 1) +
                                 "; correct the label or the units of the last layer");
      }
    }
    data_.targets.push_back(value);
    return Ok();
  }

  Status Fault(int64_t line, const std::string& what) const {
    return InvalidArgument(name_ + ":" + std::to_string(line) + ": " + what);
  }

  const std::string name_;
  const CsvOptions& options_;
  Dataset& data_;
  std::vector<std::string> names_;
  std::vector<std::string_view> fields_;
  size_t target_ = 0;
};

}  // namespace

Status AppendCsv(std::string_view text, const std::string& name, const CsvOptions& options,
                 Dataset& data) {
  return CsvReader(name, options, data).Read(text);
}

Result<Dataset> ReadCsv(const FileSystem& files, const CsvOptions& options) {
  CHECK(!options.one_hot || options.classes > 0) << "one-hot targets need the number of classes";
  if (options.files.empty()) return InvalidArgument("data.train.files names no file; add one");
  Dataset data;
  for (const std::string& file : options.files) {
    auto text = files.Read(file);
    if (!text.ok()) {
      return Status(text.status().code(), "cannot read the data file " + text.status().message() +
                                              "; correct data.train.files or the file's rights");
    }
    if (text->size() > limits::kDataFileBytesMax) {
      return InvalidArgument(file + ": larger than 2 GiB; split it into several files");
    }
    OCTET_RETURN_IF_ERROR(AppendCsv(*text, file, options, data));
  }
  return data;
}

}  // namespace octet
