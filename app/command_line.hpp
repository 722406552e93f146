#pragma once
/// The command line: sub-commands, their options and exit codes. 0 = done, 1 = the configuration or
/// the environment is wrong, 2 = the command line is wrong; logins also end with 3 = too late.

namespace tidegate::app {

int run(int argc, char* argv[]);

}  // namespace tidegate::app
