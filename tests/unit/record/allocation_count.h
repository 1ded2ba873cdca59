#pragma once

/// Number of calls of operator new in this program so far.
long allocation_count();
