#include <csignal>

namespace {

/// As in the program itself: a peer that went away is an error code, not a signal.
const auto pipe_signal = std::signal(SIGPIPE, SIG_IGN);

}  // namespace

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
