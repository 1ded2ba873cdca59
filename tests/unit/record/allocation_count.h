#pragma once

/// How often operator new was called in this program.
long allocation_count();
