#pragma once
/// Which parts a Messages target can have; what it cannot is dropped by a named rule.

#include "protocol/canonical/codec.hpp"
#include "protocol/canonical/request.hpp"

namespace tidegate::protocol::messages {

struct part_filter {
  wire source;
  const target_caps& caps;
  lossy_notes& lost;

  /// Calls and results are kept always.
  bool keeps(const part& one, turn_role role) const;
  bool keeps(const media_part& one) const;

 private:
  bool keeps(const reasoning_part& one, turn_role role) const;
};

/// A file that Messages takes as a document of plain text.
bool is_text_file(const media_part& one);

}  // namespace tidegate::protocol::messages
