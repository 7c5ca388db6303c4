// BackendSearchTest.cpp: the order of places, the variables that change it, filters, privileged processes.
#include "tests/unit/autoload/Fixtures.h"

#include <filesystem>
#include <sys/stat.h>

namespace kiln {
namespace {

using namespace kiln::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Folders with one manifest each, named after their place in the order.
class BackendSearchTest : public ::testing::Test {
protected:
  BackendSearchTest() {
    for (const char *place : {"api", "path1", "path2", "lib/kiln/backends.d", "data/kiln/backends.d", "etc"})
      folder.write(std::string(place) + "/a.kiln.json", "{}");
    folder.write("file/b.kiln.json", "{}");
    environment = bareEnvironment({{"XDG_DATA_HOME", folder.path("data")}});
    environment.libraryDirs = {folder.path("lib")};
    environment.systemDirs = {folder.path("etc")};
  }
  void setVariable(const char *name, const std::string &value) {
    Environment::Variables variables = environment.variables.all();
    variables[name] = value;
    environment.variables = Environment(variables);
  }
  std::vector<std::string> found(AutoloadMode autoload = AutoloadMode::ByEnvironment) {
    SearchRequest request;
    request.directories = {folder.path("api")};
    request.packageDirectories = packages;
    request.autoload = autoload;
    result = searchBackends(request, environment);
    std::vector<std::string> paths;
    for (const FoundManifest &file : result.files)
      paths.push_back(file.path.substr(folder.path().size() + 1));
    return paths;
  }
  std::string problemOf(const std::string &place) {
    for (const SearchPlace &looked : result.places)
      if (looked.path == folder.path(place))
        return looked.problem;
    return "not listed";
  }
  TempFolder folder;
  SearchEnvironment environment;
  std::vector<std::string> packages;
  BackendSearchResult result;
};

TEST_F(BackendSearchTest, PlacesComeInOrder) {
  setVariable("KILN_BACKEND_PATH", folder.path("path2") + ":" + folder.path("path1"));
  EXPECT_THAT(found(), ElementsAre("api/a.kiln.json", "path2/a.kiln.json", "path1/a.kiln.json",
                                   "lib/kiln/backends.d/a.kiln.json", "data/kiln/backends.d/a.kiln.json",
                                   "etc/a.kiln.json"));
}

TEST_F(BackendSearchTest, FilesReplaceAllButTheApi) {
  setVariable("KILN_BACKEND_PATH", folder.path("path1"));
  setVariable("KILN_BACKEND_FILES", folder.path("file/b.kiln.json"));
  EXPECT_THAT(found(), ElementsAre("api/a.kiln.json", "file/b.kiln.json"));
}

TEST_F(BackendSearchTest, FoldersOfPythonPackagesComeAfterThePath) {
  folder.write("site/kiln_backends/c.kiln.json", "{}");
  packages = {folder.path("site/kiln_backends")};
  setVariable("KILN_BACKEND_PATH", folder.path("path1"));
  EXPECT_THAT(found(), ElementsAre("api/a.kiln.json", "path1/a.kiln.json", "site/kiln_backends/c.kiln.json",
                                   "lib/kiln/backends.d/a.kiln.json", "data/kiln/backends.d/a.kiln.json",
                                   "etc/a.kiln.json"));
  EXPECT_EQ(result.files[2].foundBy, "Python package");
  EXPECT_THAT(found(AutoloadMode::Off), ElementsAre("api/a.kiln.json")) << "a package is found, not named";
  EXPECT_EQ(problemOf("site/kiln_backends"), "not searched: autoload is off");
  environment.secure = true;
  found();
  EXPECT_EQ(problemOf("site/kiln_backends"), "not searched: this process is privileged");
}

TEST_F(BackendSearchTest, PlacesThatARuleKeepsOutAreListedWithTheRule) {
  setVariable("KILN_BACKEND_PATH", folder.path("path1"));
  setVariable("KILN_BACKEND_FILES", folder.path("file/b.kiln.json"));
  found();
  for (const char *place : {"path1", "lib/kiln/backends.d", "data/kiln/backends.d", "etc"})
    EXPECT_EQ(problemOf(place), "not searched: KILN_BACKEND_FILES replaces it") << place;
  EXPECT_EQ(problemOf("file/b.kiln.json"), "");
  found(AutoloadMode::Off);
  EXPECT_EQ(problemOf("etc"), "not searched: autoload is off");
}

TEST_F(BackendSearchTest, AFolderIsSortedBytewiseAndOnlyManifestsCount) {
  for (const char *name :
       {"b.kiln.json", "B.kiln.json", "a-.kiln.json", "x.json", ".kiln.json", "a.kiln.json.bak"})
    folder.write(std::string("api/") + name, "{}");
  environment = bareEnvironment();
  EXPECT_THAT(found(),
              ElementsAre("api/B.kiln.json", "api/a-.kiln.json", "api/a.kiln.json", "api/b.kiln.json"));
}

TEST_F(BackendSearchTest, AutoloadOffLeavesTheApi) {
  for (const char *off : {"0", "off", "false", "no"}) {
    setVariable("KILN_BACKEND_AUTOLOAD", off);
    EXPECT_THAT(found(), ElementsAre("api/a.kiln.json")) << off;
  }
  EXPECT_GT(found(AutoloadMode::On).size(), 1u) << "the API decides before the variable";
  setVariable("KILN_BACKEND_AUTOLOAD", "1");
  EXPECT_THAT(found(AutoloadMode::Off), ElementsAre("api/a.kiln.json"));
}

TEST_F(BackendSearchTest, UnparsableAutoloadWarnsAndStaysOn) {
  setVariable("KILN_BACKEND_AUTOLOAD", "maybe");
  EXPECT_GT(found().size(), 1u);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("KILN_BACKEND_AUTOLOAD: 'maybe'; expected 1 or 0")));
}

TEST_F(BackendSearchTest, MissingFolderWarnsOnlyIfSomebodyNamedIt) {
  environment.systemDirs = {folder.path("nowhere")};
  setVariable("KILN_BACKEND_PATH", folder.path("lost"));
  found();
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("lost' (KILN_BACKEND_PATH): No such file")));
}

TEST_F(BackendSearchTest, EmptyFolderWarnsOnlyIfSomebodyNamedIt) {
  std::filesystem::create_directory(folder.path("empty"));
  std::filesystem::create_directory(folder.path("other"));
  environment.systemDirs = {folder.path("other")};
  setVariable("KILN_BACKEND_PATH", folder.path("empty"));
  found();
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("empty' (KILN_BACKEND_PATH): no *.kiln.json in it")));
}

TEST_F(BackendSearchTest, AFolderIsReadOnce) {
  setVariable("KILN_BACKEND_PATH", folder.path("api"));
  environment.libraryDirs = environment.systemDirs = {};
  environment.variables = Environment({{"KILN_BACKEND_PATH", folder.path("api")}});
  EXPECT_THAT(found(), ElementsAre("api/a.kiln.json"));
}

TEST_F(BackendSearchTest, APrivilegedProcessTrustsOnlyApiAndSystemFoldersThatRootAloneCanWrite) {
  environment.secure = true;
  setVariable("KILN_BACKEND_PATH", folder.path("path1"));
  setVariable("KILN_BACKEND_FILES", folder.path("file/b.kiln.json"));
  if (getuid() == 0) {
    EXPECT_THAT(found(), ElementsAre("api/a.kiln.json", "etc/a.kiln.json"));
    chmod(folder.path("etc/a.kiln.json").c_str(), 0666);
    EXPECT_THAT(found(), ElementsAre("api/a.kiln.json"));
    EXPECT_THAT(result.warnings, Contains(HasSubstr("writable by others")));
    chmod(folder.path("api").c_str(), 0777);
    EXPECT_THAT(found(), IsEmpty());
  } else {
    EXPECT_THAT(found(), IsEmpty()) << "nothing here is root's";
    EXPECT_THAT(result.warnings, Contains(HasSubstr("not owned by root")));
  }
}

std::string against(Environment::Variables variables, const char *name) {
  return BackendFilter(Environment(std::move(variables))).reasonAgainst(name);
}

TEST(BackendFilterTest, SelectBeatsDisable) {
  EXPECT_EQ(against({}, "npu"), "");
  EXPECT_EQ(against({{"KILN_BACKENDS_DISABLE", "n*,hpu"}}, "npu"), "matches 'n*' of KILN_BACKENDS_DISABLE");
  EXPECT_EQ(against({{"KILN_BACKENDS_DISABLE", "n*,hpu"}}, "host"), "");
  EXPECT_EQ(against({{"KILN_BACKENDS_SELECT", "npu"}, {"KILN_BACKENDS_DISABLE", "*"}}, "npu"), "");
  EXPECT_EQ(against({{"KILN_BACKENDS_SELECT", "npu, host"}}, "hpu"),
            "matches none of KILN_BACKENDS_SELECT=npu,host");
}

TEST(SplitListTest, TrimsAndDropsEmptyParts) {
  EXPECT_THAT(splitList(" a ,, b,", ","), ElementsAre("a", "b"));
  EXPECT_THAT(splitList("", ","), IsEmpty());
  EXPECT_THAT(splitList(" , ", ","), IsEmpty());
}

} // namespace
} // namespace kiln
