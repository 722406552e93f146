"""Each rule against a small tree that breaks it, and against one that keeps it."""
import os
import subprocess
import sys
import tempfile
import unittest

import includes
import lengths
import rules_listed
import waits
import words
from cpp import functions_of

HERE = os.path.dirname(os.path.abspath(__file__))


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def findings(self, rule):
        return [(finding.path, finding.line) for finding in rule.check(self.root)]


class RulesListed(Tree):
    def declare(self, rule):
        self.write("protocol/canonical/x/x.hpp",
                   f'inline constexpr std::string_view n = "{rule}";\n')

    def test_every_rule_of_a_codec_is_listed_and_no_other(self):
        self.declare("gemini.n")
        self.assertEqual(self.findings(rules_listed), [("protocol/canonical/x/x.hpp", 1)])
        self.write("docs/translation.md", "| `gemini.n` | answers |\n")
        self.assertEqual(self.findings(rules_listed), [])
        self.declare("gemini.m")
        self.assertEqual(len(self.findings(rules_listed)), 2)


class Includes(Tree):
    def include(self, path, header):
        self.write(header, "")
        self.write(path, f'#include "{header}"\n')
        return bool(self.findings(includes))

    def test_folders_include_those_above_only(self):
        self.assertFalse(self.include("quota/a.hpp", "base/b.hpp"))
        self.assertTrue(self.include("base/c.hpp", "quota/a.hpp"))

    def test_peers_do_not_include_each_other(self):
        self.assertTrue(self.include("protocol/a.hpp", "quota/b.hpp"))

    def test_config_sees_options_of_others_and_nothing_else(self):
        self.assertFalse(self.include("config/a.hpp", "http/options.hpp"))
        self.assertTrue(self.include("config/a.hpp", "http/client.hpp"))

    def test_http_sees_values_of_the_core_and_not_its_decisions(self):
        self.assertFalse(self.include("http/a.hpp", "quota/verdict.hpp"))
        self.assertTrue(self.include("http/a.hpp", "quota/rotation.hpp"))

    def test_http_does_not_see_actors_and_actors_see_its_ports_only(self):
        self.assertTrue(self.include("http/a.hpp", "actors/b.hpp"))
        os.remove(os.path.join(self.root, "http/a.hpp"))
        self.assertFalse(self.include("actors/a.hpp", "http/ports.hpp"))
        self.assertTrue(self.include("actors/a.hpp", "http/server/server.hpp"))

    def test_app_and_tests_see_everything(self):
        self.assertFalse(self.include("app/a.cpp", "actors/a.hpp"))
        self.assertFalse(self.include("tests/unit/a.cpp", "http/b.hpp"))

    def test_a_header_is_named_from_the_root(self):
        self.write("base/time.hpp", "")
        self.write("base/clock.cpp", '\n#include "time.hpp"\n')
        self.assertEqual(self.findings(includes), [("base/clock.cpp", 2)])

    def test_caf_stays_with_the_actors(self):
        self.write("actors/a.cpp", "#include <caf/all.hpp>\n")
        self.write("http/b.cpp", "#include <caf/actor.hpp>\n")
        self.assertEqual(self.findings(includes), [("http/b.cpp", 1)])

    def test_boost_stays_with_http_and_the_asio_bridge(self):
        for path in ("http/a.cpp", "actors/asio/b.cpp", "actors/c.cpp", "quota/d.cpp"):
            self.write(path, "#include <boost/asio/post.hpp>\n")
        self.assertEqual(self.findings(includes), [("actors/c.cpp", 1), ("quota/d.cpp", 1)])

    def test_the_own_header_comes_first(self):
        self.write("base/a.hpp", "")
        self.write("base/b.hpp", "")
        self.write("base/b.cpp", '#include "base/a.hpp"\n#include "base/b.hpp"\n')
        self.assertEqual(self.findings(includes), [("base/b.cpp", 1)])


class Lengths(Tree):
    def test_a_source_of_400_lines_passes_and_of_401_fails(self):
        self.write("base/a.cpp", "\n" * 400)
        self.write("base/b.cpp", "\n" * 401)
        errors = [f.path for f in lengths.check(self.root) if not f.warning]
        self.assertEqual(errors, ["base/b.cpp"])

    def test_a_source_over_300_lines_is_a_warning(self):
        self.write("base/a.cpp", "\n" * 301)
        self.assertEqual([f.warning for f in lengths.check(self.root)], [True])

    def test_a_test_may_have_600_lines(self):
        self.write("tests/unit/a_test.cpp", "\n" * 600)
        self.write("tests/unit/b_test.cpp", "\n" * 601)
        self.assertEqual([f.path for f in lengths.check(self.root)], ["tests/unit/b_test.cpp"])

    def test_a_function_of_70_lines_passes_and_of_71_fails(self):
        self.write("base/a.cpp", "int f() {" + "\n" * 69 + "}\n")
        self.assertEqual(self.findings(lengths), [])
        self.write("base/a.cpp", "\nint f() {" + "\n" * 70 + "}\n")
        self.assertEqual(self.findings(lengths), [("base/a.cpp", 2)])

    def test_a_long_python_function_fails(self):
        self.write("bench/a.py", "def f():\n" + "    pass\n" * 70)
        self.assertEqual(self.findings(lengths), [("bench/a.py", 1)])

    def test_a_very_long_line_fails(self):
        self.write("base/a.hpp", "// " + "x" * 118 + "\n")
        self.assertEqual(self.findings(lengths), [("base/a.hpp", 1)])


class Functions(unittest.TestCase):
    def measured(self, text):
        return list(functions_of(text))

    def test_members_and_namespaces_are_looked_into(self):
        self.assertEqual(self.measured("namespace n {\nclass c : public d {\n public:\n"
                                       "  int f() const {\n    return 1;\n  }\n};\n}\n"), [(4, 3)])

    def test_initializers_with_braces_do_not_end_a_constructor(self):
        self.assertEqual(self.measured("c::c(int a)\n    : a_{a}, b_{} {\n  f();\n}\n"), [(1, 4)])

    def test_inner_blocks_belong_to_their_function(self):
        self.assertEqual(self.measured("void f() {\n  if (x) {\n  }\n}\n"), [(1, 4)])

    def test_braces_in_text_and_comments_do_not_count(self):
        self.assertEqual(self.measured('void f() {  // {\n  g("{", \'{\', R"({)");\n}\n'), [(1, 3)])

    def test_tables_and_test_cases_are_no_functions(self):
        self.assertEqual(self.measured("const row rows[] = {\n  {f(1)},\n};\n"
                                       'TEST_CASE("x") {\n}\n'), [])

    def test_templates_with_constraints_are_functions(self):
        self.assertEqual(self.measured("template <class T>\n  requires ok<T>\nT f(T x) {\n}\n"),
                         [(1, 4)])


class Words(Tree):
    def test_machine_paths_notes_hosts_and_trailing_blanks_fail(self):
        for line in ("/" + "work/main", "x = 1  # TO" + "DO later", "FIX" + "ME",
                     "https://registry.npm" + "js.org/x", "text "):
            self.write("docs/a.md", "fine\n" + line + "\n")
            self.assertEqual(self.findings(words), [("docs/a.md", 2)], line)

    def test_words_that_only_contain_them_pass(self):
        self.write("docs/a.md", "build/work/x, a framework/y, METHODOLOGY\n")
        self.assertEqual(self.findings(words), [])

    def test_build_folders_and_corpora_are_not_read(self):
        for path in ("build/a.md", "tests/fuzz/corpus/sse/1", "tests/x/node_modules/a.js"):
            self.write(path, "FIX" + "ME\n")
        self.assertEqual(self.findings(words), [])


class Waits(Tree):
    def test_a_sleeping_test_fails(self):
        self.write("tests/unit/a_test.cpp", "std::this_thread::sleep_for(1s);\n")
        self.write("tests/integration/b_test.cpp", "\nusleep(1);  // sleep\n")
        self.assertEqual(self.findings(waits), [("tests/integration/b_test.cpp", 2),
                                                ("tests/unit/a_test.cpp", 1)])

    def test_the_clock_is_not_read_where_decisions_are_tested(self):
        self.write("tests/unit/quota/a_test.cpp", "auto t = std::chrono::system_clock::now();\n")
        self.write("tests/unit/http/b_test.cpp", "auto t = std::chrono::steady_clock::now();\n")
        self.assertEqual(self.findings(waits), [("tests/unit/quota/a_test.cpp", 1)])

    def test_talk_of_sleep_and_code_outside_the_tests_pass(self):
        self.write("tests/unit/a_test.cpp", "// never sleep(1)\nasleep(1);\n")
        self.write("app/a.cpp", "sleep(1);\n")
        self.assertEqual(self.findings(waits), [])


class CommandLine(Tree):
    def run_rule(self, rule):
        command = [sys.executable, "-B", os.path.join(HERE, "check.py"), rule, "--root", self.root]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_the_status_says_whether_a_rule_is_broken(self):
        self.write("base/a.cpp", "\n" * 301)
        kept = self.run_rule("lengths")
        self.assertEqual(kept.returncode, 0)
        self.assertIn("base/a.cpp:301: warning:", kept.stdout)
        self.write("base/b.cpp", '#include "gone.hpp"\n')
        broken = self.run_rule("includes")
        self.assertEqual(broken.returncode, 1)
        self.assertIn("base/b.cpp:1: ", broken.stdout)


if __name__ == "__main__":
    unittest.main()
