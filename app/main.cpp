#include "app/command_line.hpp"

int main(int argc, char* argv[]) { return tidegate::app::run(argc, argv); }
