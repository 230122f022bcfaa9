#include "coordinator/api/protobuf_body.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <memory>

#include "proto/kubernetes.pb.h"
#include "shared/base/base64.h"
#include "shared/base/time.h"

namespace octet {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view kMagic("k8s\0", 4);

Value ValueOf(const Message& message);

// "2026-12-01T06:00:00Z"; with micros "2026-12-01T06:00:00.000000Z".
Value TimeOf(const Message& message, bool with_micros) {
  const Reflection* reflection = message.GetReflection();
  const auto* descriptor = message.GetDescriptor();
  const int64_t seconds = reflection->GetInt64(message, descriptor->FindFieldByNumber(1));
  const int32_t nanos = reflection->GetInt32(message, descriptor->FindFieldByNumber(2));
  // The zero time of Go's clients, or one that no calendar has.
  constexpr int64_t kSecondsMax = 253402300799;
  if ((seconds == 0 && nanos == 0) || seconds < 0 || seconds > kSecondsMax) return Value();
  std::string text = FormatTime(TimePoint(std::chrono::seconds(seconds)));
  if (!with_micros || !text.ends_with('Z')) return Value(text);
  std::string micros = std::to_string(nanos < 0 ? 0 : nanos / 1000);
  micros.insert(0, micros.size() < 6 ? 6 - micros.size() : 0, '0');
  text.pop_back();
  return Value(text + "." + micros + "Z");
}

// One value of `field`: the whole field, or its item `index`.
Value ItemOf(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection* reflection = message.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = repeated ? reflection->GetRepeatedString(message, &field, index)
                                  : reflection->GetString(message, &field);
      return field.type() == FieldDescriptor::TYPE_BYTES ? Value(Base64(text)) : Value(text);
    }
    case FieldDescriptor::CPPTYPE_INT64:
      return Value(reflection->GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_INT32:
      return Value(static_cast<int64_t>(reflection->GetInt32(message, &field)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return Value(reflection->GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ValueOf(repeated ? reflection->GetRepeatedMessage(message, &field, index)
                              : reflection->GetMessage(message, &field));
    default:
      return Value();  // kubernetes.proto has no other types.
  }
}

bool IsEmpty(const Value& value) {
  return value.is_null() || value == Value("") || value == Value(0) || value == Value(false) ||
         (value.is_map() && value.AsMap().empty());
}

Value MapOf(const Message& message, const FieldDescriptor& field, int size) {
  Value map = Value::MakeMap();
  for (int i = 0; i < size; ++i) {
    const Message& entry = message.GetReflection()->GetRepeatedMessage(message, &field, i);
    const auto* descriptor = entry.GetDescriptor();
    const Value key = ItemOf(entry, *descriptor->map_key(), 0);
    map.Set(key.AsString(), ItemOf(entry, *descriptor->map_value(), 0));
  }
  return map;
}

Value ValueOf(const Message& message) {
  const std::string& name = message.GetDescriptor()->name();
  if (name == "Time" || name == "MicroTime") return TimeOf(message, name == "MicroTime");
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  Value value = Value::MakeMap();
  for (const FieldDescriptor* field : fields) {
    Value item;
    if (!field->is_repeated()) {
      item = ItemOf(message, *field, 0);
    } else if (const int size = message.GetReflection()->FieldSize(message, field);
               field->is_map()) {
      item = MapOf(message, *field, size);
    } else {
      Value::List items;
      for (int i = 0; i < size; ++i) items.push_back(ItemOf(message, *field, i));
      item = Value::MakeList(std::move(items));
    }
    if (!IsEmpty(item)) value.Set(field->name(), std::move(item));
  }
  return value;
}

}  // namespace

Result<Value> ReadProtobufBody(const std::string& body) {
  kubernetes::Unknown envelope;
  if (!body.starts_with(kMagic) ||
      !envelope.ParseFromArray(body.data() + kMagic.size(),
                               static_cast<int>(body.size() - kMagic.size()))) {
    return InvalidArgument("the body is not in Kubernetes' protobuf form");
  }
  const std::string& kind = envelope.typemeta().kind();
  const auto* descriptor = kubernetes::Unknown::descriptor()->file()->FindMessageTypeByName(kind);
  if (descriptor == nullptr) {
    return InvalidArgument("a body of kind \"" + kind + "\" is not taken as protobuf: send JSON");
  }
  const std::unique_ptr<Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(descriptor)->New());
  if (!message->ParseFromString(envelope.raw())) {
    return InvalidArgument("the protobuf of the " + kind + " is damaged");
  }
  Value document = Value::MakeMap();
  document.Set("apiVersion", envelope.typemeta().apiversion());
  document.Set("kind", kind);
  const Value members = ValueOf(*message);
  for (const Value::Member& member : members.AsMap()) document.Set(member.key, member.value);
  return document;
}

}  // namespace octet
