// TestPrecompiled.h: the precompiled header of tests outside the compiler tier.
#include "cmake/RuntimePrecompiled.h"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
