#include "http/login/callback_page.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tidegate::http::login {
namespace {

struct page_text {
  std::string_view status;
  std::string_view title;
  std::string_view text;
};

page_text text_of(callback_page page) {
  switch (page) {
    case callback_page::arrived:
      return {"200 OK", "The login has arrived",
              "Go back to the terminal: it says how the login ended. This page can be closed."};
    case callback_page::refused:
      return {"200 OK", "The login was refused", "Nothing was stored. This page can be closed."};
    case callback_page::not_ours:
      return {"400 Bad Request", "Not an answer to this login",
              "Open the address that the terminal shows, and finish that login."};
    case callback_page::wrong_host:
      return {"403 Forbidden", "Not from here", "This page is for this machine only."};
    case callback_page::nothing_here:
      return {"404 Not Found", "Nothing here", "A login waits here for its answer."};
    case callback_page::wrong_method:
      return {"405 Method Not Allowed", "Only GET", "A login waits here for its answer."};
  }
  return {"404 Not Found", "Nothing here", ""};
}

}  // namespace

std::string response_of(callback_page page) {
  const auto [status, title, text] = text_of(page);
  const auto body = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title></head>"
      "<body><h1>{0}</h1><p>{1}</p></body></html>\n",
      title, text);
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n"
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
      "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
      "Cache-Control: no-store\r\n{}Connection: close\r\n\r\n{}",
      status, body.size(), page == callback_page::wrong_method ? "Allow: GET\r\n" : "", body);
}

}  // namespace tidegate::http::login
