#include "coordinator/api/json_patch.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "shared/base/limits.h"

namespace octet {
namespace {

using Pointer = std::vector<std::string>;

Result<Pointer> ParsePointer(const std::string& text) {
  Pointer tokens;
  if (text.empty()) return tokens;
  if (text[0] != '/') return InvalidArgument("\"" + text + "\" must begin with a slash");
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      tokens.emplace_back();
    } else if (text[i] != '~') {
      tokens.back() += text[i];
    } else if (++i < text.size() && (text[i] == '0' || text[i] == '1')) {
      tokens.back() += text[i] == '0' ? '~' : '/';
    } else {
      return InvalidArgument("\"" + text + "\" has a ~ without 0 or 1 behind it");
    }
  }
  return tokens;
}

// An index below `end`, without leading zeros.
Result<size_t> ParseIndex(const std::string& token, size_t end) {
  size_t index = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool number = error == std::errc() && stop == token.data() + token.size() &&
                      (token == "0" || token[0] != '0');
  if (!number) return FailedPrecondition("\"" + token + "\" is no index of a list");
  if (index >= end) return FailedPrecondition("there is no item " + token);
  return index;
}

// The value at the first `depth` tokens of the path.
Result<Value*> Find(Value& root, const Pointer& path, size_t depth) {
  Value* at = &root;
  for (size_t i = 0; i < depth; ++i) {
    if (at->is_list()) {
      OCTET_ASSIGN_OR_RETURN(const size_t index, ParseIndex(path[i], at->AsList().size()));
      at = &at->AsList()[index];
    } else {
      Value* member = at->is_map() ? at->Find(path[i]) : nullptr;
      if (member == nullptr) return FailedPrecondition("there is no \"" + path[i] + "\"");
      at = member;
    }
  }
  return at;
}

Status Add(Value& root, const Pointer& path, Value value) {
  if (path.empty()) {
    root = std::move(value);
    return Ok();
  }
  OCTET_ASSIGN_OR_RETURN(Value * parent, Find(root, path, path.size() - 1));
  if (parent->is_map()) {
    parent->Set(path.back(), std::move(value));
    return Ok();
  }
  if (!parent->is_list()) return FailedPrecondition("its parent is neither a map nor a list");
  Value::List& list = parent->AsList();
  size_t index = list.size();
  if (path.back() != "-") {
    OCTET_ASSIGN_OR_RETURN(index, ParseIndex(path.back(), list.size() + 1));
  }
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(index), std::move(value));
  return Ok();
}

Status Remove(Value& root, const Pointer& path) {
  if (path.empty()) return FailedPrecondition("the whole document cannot be removed");
  OCTET_RETURN_IF_ERROR(Find(root, path, path.size()).status());
  OCTET_ASSIGN_OR_RETURN(Value * parent, Find(root, path, path.size() - 1));
  if (parent->is_map()) {
    parent->Erase(path.back());
    return Ok();
  }
  OCTET_ASSIGN_OR_RETURN(const size_t index, ParseIndex(path.back(), parent->AsList().size()));
  parent->AsList().erase(parent->AsList().begin() + static_cast<std::ptrdiff_t>(index));
  return Ok();
}

size_t CountValues(const Value& value) {
  size_t count = 1;
  if (value.is_list()) {
    for (const Value& item : value.AsList()) count += CountValues(item);
  } else if (value.is_map()) {
    for (const Value::Member& member : value.AsMap()) count += CountValues(member.value);
  }
  return count;
}

// One operation, its members read.
struct Operation {
  std::string op{};
  Pointer path{};
  Pointer from{};
  const Value* value = nullptr;
};

Result<Pointer> PointerMember(const Value& operation, const char* name) {
  const Value* member = operation.Find(name);
  if (member == nullptr || !member->is_string()) {
    return InvalidArgument(std::string(name) + " must be a JSON pointer");
  }
  return ParsePointer(member->AsString());
}

Result<Operation> ReadOperation(const Value& value) {
  const Value* op = value.Find("op");
  if (op == nullptr || !op->is_string()) {
    return InvalidArgument("op must be add, remove, replace, move, copy or test");
  }
  Operation operation{.op = op->AsString(), .path = {}, .from = {}, .value = value.Find("value")};
  OCTET_ASSIGN_OR_RETURN(operation.path, PointerMember(value, "path"));
  const std::string& word = operation.op;
  if (word == "move" || word == "copy") {
    OCTET_ASSIGN_OR_RETURN(operation.from, PointerMember(value, "from"));
  } else if (word == "add" || word == "replace" || word == "test") {
    if (operation.value == nullptr) return InvalidArgument(word + " needs a value");
  } else if (word != "remove") {
    return InvalidArgument("there is no operation \"" + word + "\"");
  }
  return operation;
}

bool IsInside(const Pointer& inner, const Pointer& outer) {
  return inner.size() > outer.size() && std::equal(outer.begin(), outer.end(), inner.begin());
}

// `copied` counts the values copied so far: copies of copies would fill the memory.
Status Apply(Value& root, const Operation& operation, size_t& copied) {
  if (operation.op == "add") return Add(root, operation.path, *operation.value);
  if (operation.op == "remove") return Remove(root, operation.path);
  if (operation.op == "replace") {
    OCTET_ASSIGN_OR_RETURN(Value * target, Find(root, operation.path, operation.path.size()));
    *target = *operation.value;
    return Ok();
  }
  if (operation.op == "test") {
    OCTET_ASSIGN_OR_RETURN(const Value* found, Find(root, operation.path, operation.path.size()));
    return *found == *operation.value ? Ok() : FailedPrecondition("the test failed");
  }
  OCTET_ASSIGN_OR_RETURN(const Value* source, Find(root, operation.from, operation.from.size()));
  copied += CountValues(*source);
  if (copied > limits::kManifestNodesMax) return InvalidArgument("the patch copies too much");
  Value copy = *source;
  if (operation.op == "move") {
    if (IsInside(operation.path, operation.from)) {
      return FailedPrecondition("a value cannot be moved into itself");
    }
    OCTET_RETURN_IF_ERROR(Remove(root, operation.from));
  }
  return Add(root, operation.path, std::move(copy));
}

}  // namespace

Result<Value> JsonPatch(Value document, const Value& patch) {
  if (!patch.is_list()) return InvalidArgument("a JSON patch is a list of operations");
  if (patch.AsList().size() > limits::kJsonPatchOperationsMax) {
    return InvalidArgument("the patch has more than " +
                           std::to_string(limits::kJsonPatchOperationsMax) + " operations");
  }
  size_t copied = 0;
  for (size_t i = 0; i < patch.AsList().size(); ++i) {
    const std::string place = "operation " + std::to_string(i);
    const Result<Operation> operation = ReadOperation(patch.AsList()[i]);
    if (!operation.ok()) return operation.status().Annotate(place);
    OCTET_RETURN_IF_ERROR(Apply(document, *operation, copied).Annotate(place));
  }
  return document;
}

}  // namespace octet
