// Processes of this machine by id and start time. Linux.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/status.h"

namespace octet::cli {

// The start time of a process as /proc/PID/stat has it (clock ticks since boot); "" if there is
// none, or if it is a zombie, which runs no more.
std::string StartTimeOf(int64_t pid);

// Whether the process with this id is the one that started then; an empty `start_time` matches any.
bool IsAlive(int64_t pid, const std::string& start_time);

// Starts a program that outlives this one: a session of its own, standard input closed, output and
// errors to `output`. Gives its process id.
Result<int64_t> StartDetached(const std::vector<std::string>& command, const std::string& output);

void Terminate(int64_t pid);  // SIGTERM
void Kill(int64_t pid);       // SIGKILL

// Whether a child of ours has ended, and then how, in words ("exited with code 1").
bool ChildHasEnded(int64_t pid, std::string& how);

}  // namespace octet::cli
