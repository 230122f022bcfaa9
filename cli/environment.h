// What the process was given from outside: environment variables, the login name, the terminal. The
// only place of the command line that reads them.
#pragma once

#include <string>

#include "shared/base/ids.h"
#include "shared/base/time.h"

namespace octet::cli {

struct Environment {
  std::string home;       // $OCTET_HOME, or ~/.octet.
  std::string server;     // $OCTET_SERVER; empty: the cluster of `home`.
  UserName user;          // $OCTET_USER, or the login name.
  bool terminal = false;  // Standard output is a terminal.
  std::string programs;   // The folder in which this program lies, for octet-coordinator beside it.
};

Environment ReadEnvironment();

// Gives other processes time: returns after `pause`. The API has no watch yet, so that following a
// job means asking again.
void Pause(Duration pause);

}  // namespace octet::cli
