// The one place that compiles the separately compiled parts of Asio and Beast.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
// Beast 1.81 asserts that the end of a last chunk has five bytes when it is looked at again; a slow
// peer disproves it, and the code behind needs only what was found the first time.
#define BOOST_DISABLE_ASSERTS
#include <boost/assert.hpp>
#include <boost/beast/src.hpp>
