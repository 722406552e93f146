#pragma once
/// Codex's device login: JSON on both ways, 403 and 404 while nobody has entered the code, and at
/// the end a code with its verifier, to be exchanged. All addresses follow from the one where it
/// begins:
/// `.../usercode` has `.../token` beside it, and the pages are at the same origin.

#include "provider/login/device.hpp"

namespace tidegate::provider::login {

extern const device_rules codex_device;

}  // namespace tidegate::provider::login
