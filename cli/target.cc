#include "cli/target.h"

#include "shared/objects/fault.h"

namespace octet::cli {
namespace {

Result<const KindInfo*> KindOf(const std::string& word) {
  if (const KindInfo* info = FindKind(word); info != nullptr) return info;
  std::vector<std::string> known;
  std::string listing;
  for (const KindInfo& info : AllKinds()) {
    known.push_back(info.plural);
    known.push_back(info.singular);
    listing += (listing.empty() ? "" : ", ") + info.plural + " (" + info.short_name + ")";
  }
  const std::string meant = DidYouMean(word, known);
  return InvalidArgument("there is no kind \"" + word + "\"" +
                         (meant.empty() ? "" : "; did you mean " + meant + "?") +
                         " Kinds: " + listing);
}

}  // namespace

Result<std::vector<Target>> ParseTargets(const std::vector<std::string>& words) {
  if (words.empty()) return InvalidArgument("say which kind, for example: trainingjobs");
  std::vector<Target> targets;
  if (words[0].find('/') != std::string::npos) {
    for (const std::string& word : words) {
      const size_t slash = word.find('/');
      if (slash == std::string::npos || slash + 1 == word.size()) {
        return InvalidArgument("\"" + word + "\": write KIND/NAME, as in the words before it");
      }
      OCTET_ASSIGN_OR_RETURN(const KindInfo* info, KindOf(word.substr(0, slash)));
      targets.push_back({info, word.substr(slash + 1)});
    }
    return targets;
  }
  std::vector<const KindInfo*> kinds;
  for (size_t begin = 0; begin <= words[0].size();) {
    const size_t comma = std::min(words[0].find(',', begin), words[0].size());
    OCTET_ASSIGN_OR_RETURN(const KindInfo* info, KindOf(words[0].substr(begin, comma - begin)));
    kinds.push_back(info);
    begin = comma + 1;
  }
  for (const KindInfo* info : kinds) {
    if (words.size() == 1) targets.push_back({info, ""});
    for (size_t i = 1; i < words.size(); ++i) targets.push_back({info, words[i]});
  }
  return targets;
}

}  // namespace octet::cli
