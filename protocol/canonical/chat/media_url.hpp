#pragma once
/// Media in the spelling of Chat: data URLs, bare base64 and audio formats. Internal to chat/.

#include <optional>
#include <string_view>

#include "protocol/canonical/parts.hpp"
#include "protocol/canonical/text.hpp"

namespace tidegate::protocol::chat {

/// A data URL split into MIME type and base64.
struct data_url {
  raw_text mime;
  raw_text base64;
};
/// nullopt: another kind of URL, or not in base64. The MIME type may be empty.
std::optional<data_url> split_data_url(raw_text url);

/// Where the bytes of the member `name` (url, file_url, file_data, data) are. `file_data` may lack
/// the `data:` prefix and is then a PDF, the only kind that the API once knew.
media_source source_of(std::string_view name, raw_text text, text_store& texts);

/// `audio/mpeg` for `mp3`, else `audio/` and the format.
raw_text audio_mime(raw_text format, text_store& texts);
/// The way back: `mp3` or `wav`, else what stands behind `audio/`.
std::string_view audio_format(raw_text mime);

}  // namespace tidegate::protocol::chat
