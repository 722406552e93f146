#include "http/client/client.hpp"

#include <utility>

#include "http/client/exchange.hpp"

namespace tidegate::http {

namespace {

class response final : public upstream_response {
 public:
  explicit response(std::shared_ptr<upstream::exchange> of) : of_(std::move(of)) {}
  ~response() override { of_->abandon(); }
  response(const response&) = delete;
  response& operator=(const response&) = delete;

  int status() const override { return static_cast<int>(of_->head().get().result_int()); }

  std::optional<std::string_view> header(std::string_view name) const override {
    const auto& fields = of_->head().get();
    const auto found = fields.find(boost::beast::string_view(name.data(), name.size()));
    if (found == fields.end()) return std::nullopt;
    return std::string_view(found->value().data(), found->value().size());
  }

  void each_header(
      const std::function<void(std::string_view, std::string_view)>& visit) const override {
    for (const auto& field : of_->head().get()) {
      const auto name = field.name_string();
      const auto value = field.value();
      visit({name.data(), name.size()}, {value.data(), value.size()});
    }
  }

  std::optional<std::uint64_t> content_length() const override {
    const auto known = of_->head().content_length();
    if (!known) return std::nullopt;
    return *known;
  }

  awaitable<result<std::string_view>> read() override { return of_->read(); }

 private:
  std::shared_ptr<upstream::exchange> of_;
};

class call final : public upstream_call {
 public:
  explicit call(std::shared_ptr<upstream::exchange> of) : of_(std::move(of)) {}

  awaitable<result<std::unique_ptr<upstream_response>>> send(
      const provider::upstream_request& request) override {
    const auto of = of_;
    const auto done = co_await of->send(request);
    if (!done) co_return std::unexpected(done.error());
    co_return std::make_unique<response>(of);
  }

  void cancel() override { of_->cancel(); }

 private:
  std::shared_ptr<upstream::exchange> of_;
};

}  // namespace

struct client::impl : upstream::client_parts {
  using client_parts::client_parts;
};

client::client(asio::io_context& io) : impl_(std::make_shared<impl>(io)) {}
client::~client() {
  stop();
}

std::unique_ptr<upstream_call> client::prepare(const request_options& options, secret_string proxy,
                                               watchdog& timeouts, const strand& on) {
  return std::make_unique<call>(
      std::make_shared<upstream::exchange>(impl_, options, std::move(proxy), timeouts, on));
}

strand client::new_strand() const { return asio::make_strand(impl_->io); }

client_stats client::stats() const {
  return impl_->connections->stats();
}
void client::stop() {
  impl_->connections->stop();
}

}  // namespace tidegate::http
