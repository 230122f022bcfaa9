#include "shared/objects/session.h"

#include "shared/objects/checked_spec.h"
#include "shared/objects/field_reader.h"

namespace octet {

Result<Session> DecodeSession(const Object& object) {
  OCTET_ASSIGN_OR_RETURN(const Value checked, CheckedSpec(Kind::kSession, object.spec));
  FieldReader spec(&checked, "spec");
  FieldReader status(&object.status, "status");
  Session session{.meta = object.meta,
                  .job_name = spec.String("job"),
                  .job_uid = JobUid(spec.String("jobUid")),
                  .user = UserName(spec.String("user")),
                  .boards = {},
                  .charge_by = spec.String("chargeBy") == ChargeByName(ChargeBy::kSession)
                                   ? ChargeBy::kSession
                                   : ChargeBy::kBoard,
                  .fence = Fence(spec.Int("fence")),
                  .attempt = spec.Int("attempt"),
                  .start = {},
                  .grant = spec.DurationOf("grant"),
                  .elapsed = Duration(status.Int("elapsedMillis")),
                  .ended = status.Bool("ended"),
                  .end_reason = status.String("endReason")};
  for (std::string& board : spec.Strings("boards")) session.boards.emplace_back(std::move(board));
  const std::optional<TimePoint> start = spec.Time("start");
  OCTET_RETURN_IF_ERROR(spec.status());
  OCTET_RETURN_IF_ERROR(status.status());
  if (!start) return InvalidArgument("spec.start is missing");
  session.start = *start;
  return session;
}

Object EncodeSession(const Session& session, const std::map<std::string, BoardMillis>& charge) {
  Object object{.kind = Kind::kSession, .meta = session.meta, .spec = {}, .status = {}};
  std::vector<std::string> boards;
  for (const BoardId& board : session.boards) boards.push_back(board.str());
  Value& spec = object.spec;
  spec.Set("job", session.job_name);
  spec.Set("jobUid", session.job_uid.str());
  spec.Set("user", session.user.str());
  spec.Set("boards", EncodeStrings(boards));
  spec.Set("chargeBy", ChargeByName(session.charge_by));
  spec.Set("fence", session.fence.value());
  spec.Set("attempt", session.attempt);
  spec.Set("start", FormatTime(session.start));
  spec.Set("grant", FormatDuration(session.grant));

  BoardMillis total;
  Value weeks = Value::MakeMap();
  for (const auto& [week, amount] : charge) {
    weeks.Set(week, amount.count());
    total += amount;
  }
  Value& status = object.status;
  status.Set("boardCount", static_cast<int64_t>(session.boards.size()));
  status.Set("elapsed", FormatDurationShort(session.elapsed));
  status.Set("elapsedMillis", int64_t{session.elapsed.count()});
  status.Set("charge", FormatBoardTime(total));
  status.Set("chargeMillis", total.count());
  status.Set("chargeMillisByWeek", std::move(weeks));
  status.Set("ended", session.ended);
  if (session.ended) {
    status.Set("end", FormatTime(session.end()));
    status.Set("endReason", session.end_reason);
  }
  return object;
}

}  // namespace octet
