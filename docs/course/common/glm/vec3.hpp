#pragma once
#include "vec4.hpp"
