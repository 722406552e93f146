/// tidegate_load SHAPE --port N --path P [...]: measures an HTTP server of this machine and prints one
/// line of JSON. `tidegate_load --help` lists the options; bench/load_run.hpp says what the shapes are.

#include <sys/prctl.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

#include "bench/load_run.hpp"

namespace tidegate::bench {
namespace {

const std::map<std::string, shape> shapes = {{"closed", shape::closed},
                                             {"rate", shape::rate},
                                             {"streams", shape::streams},
                                             {"hold", shape::hold}};

struct arguments {
  load_options load;
  std::string path = "/";
  std::string body_file;
  std::vector<std::string> headers;
  double warm = 1;
  double span = 5;
};

std::string request_of(const arguments& from) {
  std::string body;
  if (!from.body_file.empty()) {
    std::ifstream file{from.body_file, std::ios::binary};
    body.assign(std::istreambuf_iterator<char>{file}, {});
    if (body.empty()) give_up(from.body_file);
  }
  std::string request = (body.empty() ? "GET " : "POST ") + from.path + " HTTP/1.1\r\n" +
                        "Host: 127.0.0.1:" + std::to_string(from.load.port) + "\r\n";
  for (const auto& header : from.headers) request += header + "\r\n";
  if (!body.empty()) {
    request += "Content-Type: application/json\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n";
  }
  return request + "\r\n" + body;
}

int run(int argc, char* argv[]) {
  arguments given;
  auto& load = given.load;
  CLI::App app{"Measures an HTTP server on 127.0.0.1; prints one line of JSON."};
  app.add_option("shape", load.how, "closed, rate, streams or hold")
      ->required()
      ->transform(CLI::CheckedTransformer(shapes));
  app.add_option("--port", load.port)->required();
  app.add_option("--path", given.path);
  app.add_option("--header", given.headers, "a header line; may be repeated");
  app.add_option("--body", given.body_file, "file to POST; without it the request is a GET");
  app.add_option("--connections", load.connections)->check(CLI::Range(1, 20'000));
  app.add_option("--rate", load.per_second, "planned starts a second")->check(CLI::Range(0.1, 1e5));
  app.add_option("--count", load.count, "streams")->check(CLI::Range(1, 20'000));
  app.add_option("--warm", given.warm, "seconds")->check(CLI::Range(0.0, 60.0));
  app.add_option("--seconds", given.span)->check(CLI::Range(0.1, 300.0));
  app.add_option("--watch", load.watched, "process to report on; may be repeated");
  CLI11_PARSE(app, argc, argv);
  load.warm = std::chrono::duration<double>{given.warm};
  load.span = std::chrono::duration<double>{given.span};
  load.request = request_of(given);
  std::printf("%s\n", load_run{std::move(load)}.run().c_str());
  return 0;
}

}  // namespace
}  // namespace tidegate::bench

int main(int argc, char* argv[]) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  return tidegate::bench::run(argc, argv);
}
