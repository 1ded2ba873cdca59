#pragma once
// All of Pawl's public headers. With Pawl::core alone, leave out those marked Pawl::io.

#include <pawl/analysis.h>
#include <pawl/contact_problem.h>
#include <pawl/dynamics.h>
#include <pawl/error.h>
#include <pawl/geometry.h>
#include <pawl/impact.h>
#include <pawl/joint_forces.h>
#include <pawl/lcp.h>
#include <pawl/math.h>
#include <pawl/mjcf.h>  // Pawl::io
#include <pawl/model.h>
#include <pawl/outcome.h>
#include <pawl/parameter.h>
#include <pawl/problem_file.h>  // Pawl::io
#include <pawl/report.h>
#include <pawl/residual.h>
#include <pawl/robot.h>  // Pawl::io
#include <pawl/run_options.h>
#include <pawl/scene.h>
#include <pawl/scene_file.h>  // Pawl::io
#include <pawl/simulation.h>
#include <pawl/solver.h>
#include <pawl/state_file.h>  // Pawl::io
#include <pawl/trajectory.h>  // Pawl::io
#include <pawl/urdf.h>        // Pawl::io
#include <pawl/version.h>
