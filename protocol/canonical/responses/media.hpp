#pragma once
/// Images, files and sound as Responses spells them: data URLs, plain URLs, file ids. Spec:
/// translation.md 2.3.

#include <string>
#include <string_view>

#include "protocol/canonical/json_out.hpp"
#include "protocol/canonical/parts.hpp"

namespace tidegate::protocol::responses {

/// A data URL with base64 becomes mime and bytes; anything else stays a URL. `texts` keeps what had
/// to be unescaped for it.
media_source source_of_url(raw_text url, text_store& texts);

/// `file_data`: a data URL, or bare base64 whose type is guessed from the name.
media_source source_of_file_data(raw_text data, raw_text name, text_store& texts);

/// The members of an input_image, input_file or input_audio behind its `type`; false, with nothing
/// written, when Responses has no words for it.
bool can_spell(const media_part& media);
void write_media(json_out& out, const media_part& media);

}  // namespace tidegate::protocol::responses
