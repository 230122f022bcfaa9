// Processes of this machine by pid and start time: together they name a process for ever, a pid
// alone may be reused. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/status.h"

namespace octet {

// Field 22 of /proc/PID/stat; empty if there is no such process or it is a zombie.
std::string ProcessStartTime(int64_t pid);
// Whether `pid` runs and started then.
bool ProcessIsAlive(int64_t pid, const std::string& start_time);

// Starts a program in a session of its own, with standard input from /dev/null, output appended to
// `output`, no other open files and no blocked signals. kUnavailable with the system's words.
Result<int64_t> StartProcess(const std::vector<std::string>& command, const std::string& output);

// How a child has ended ("exited with code 1"), or nothing while it runs. Reaps it.
std::optional<std::string> ChildExit(int64_t pid);

void SendTerminate(int64_t pid);
void SendKill(int64_t pid);

}  // namespace octet
