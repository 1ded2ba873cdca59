// Writes planar_impacts.json and spatial_impacts.json, impacts solved by the oracle, to the given folder. The
// format is described in docs/impacts.md.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <unit/base/random.h>
#include <vectors/impact_oracle.h>

namespace pawl::internal::testing {
namespace {

/// A contact with short decimal numbers, so that they are read identically in every language.
struct Input {
  int rows = 2;
  double A[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}};
  double v[3] = {};
  double mu = 0, mu_static = 0, e = 0, e_t = 1, e_o = 1;
};

double shortened(double x) {
  return std::round(x * 1e4) / 1e4;
}

OracleImpact solve(const Input& in) {
  OracleContact c;
  for (int i = 0; i < 3; ++i) {
    c.v[i] = in.v[i];
    for (int j = 0; j < 3; ++j) c.A[i][j] = in.A[i][j];
  }
  c.mu = in.mu, c.mu_static = in.mu_static, c.e = in.e, c.e_t = in.e_t, c.e_o = in.e_o;
  return ImpactOracle(c).solve();
}

class Writer {
 public:
  Writer(const std::string& path, const std::string& rows) : file_(std::fopen(path.c_str(), "w")) {
    if (file_ == nullptr) {
      std::fprintf(stderr, "make_impacts: cannot write %s\n", path.c_str());
      std::exit(1);
    }
    std::fprintf(file_, "{\n\"format\": \"impacts\",\n\"version\": 1,\n\"rows\": \"%s\",\n\"impacts\": [",
                 rows.c_str());
  }
  ~Writer() {
    std::fprintf(file_, "\n]\n}\n");
    std::fclose(file_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void add(const Input& in) { add(in, solve(in)); }
  void add(const Input& in, const OracleImpact& out) {
    std::fprintf(file_, "%s\n{\"A\": [", first_ ? "" : ",");
    first_ = false;
    for (int i = 0; i < in.rows; ++i) {
      std::fprintf(file_, "%s[", i == 0 ? "" : ", ");
      list(in.A[i], in.rows, "%.15g");
      std::fprintf(file_, "]");
    }
    std::fprintf(file_, "], \"v\": [");
    list(in.v, in.rows, "%.15g");
    std::fprintf(file_, "], \"mu\": %.15g, \"mu_static\": %.15g, \"e\": %.15g", in.mu, in.mu_static, in.e);
    if (in.rows == 3) std::fprintf(file_, ", \"radii\": [%.15g, %.15g]", in.e_t, in.e_o);
    std::fprintf(file_, ",\n \"p\": [");
    list(out.p.data(), in.rows, "%.17g");
    std::fprintf(file_, "], \"v_after\": [");
    list(out.v.data(), in.rows, "%.17g");
    std::fprintf(
        file_,
        "], \"path\": \"%s\", \"slip\": \"%s\", \"wedged\": %s, \"recompressed\": %s,\n \"history\": [",
        out.path.c_str(), out.slip.c_str(), out.wedged ? "true" : "false",
        out.recompressed ? "true" : "false");
    for (std::size_t i = 0; i < out.history.size(); ++i) {
      const OracleMoment& m = out.history[i];
      std::fprintf(file_, "%s{\"moment\": \"%s\", \"p_n\": %.17g, \"E_n\": %.17g, \"E_f\": %.17g}",
                   i == 0 ? "" : ", ", m.name.c_str(), static_cast<double>(m.p_n), static_cast<double>(m.E_n),
                   static_cast<double>(m.E_f));
    }
    std::fprintf(file_, "]}");
  }

 private:
  template <class Number>
  void list(const Number* x, int n, const char* format) {
    for (int i = 0; i < n; ++i) {
      if (i > 0) std::fprintf(file_, ", ");
      std::fprintf(file_, format, static_cast<double>(x[i]));
    }
  }

  std::FILE* file_;
  bool first_ = true;
};

/// Positive definite, with condition numbers up to some hundreds.
void fill_matrix(Random& random, int rows, Input& in) {
  double G[3][3];
  for (auto& row : G) {
    for (double& x : row) x = random.uniform(-1, 1);
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      double sum = i == j ? 0.02 : 0;
      for (const auto& row : G) sum += row[i] * row[j];
      in.A[i][j] = shortened(sum);
    }
  }
}

Input random_input(Random& random, int rows) {
  Input in;
  in.rows = rows;
  fill_matrix(random, rows, in);
  in.v[0] = -shortened(random.scale(0.1, 10));
  const double slip = random.below(12) == 0 ? 0 : random.scale(0.1, 3);
  for (int i = 1; i < rows; ++i) in.v[i] = shortened(slip * random.uniform(-1, 1));
  in.mu = random.below(20) == 0 ? 0 : shortened(random.scale(0.02, 3));
  in.mu_static = random.below(2) == 0 ? in.mu : shortened(in.mu * random.uniform(1.05, 1.5));
  in.e = random.below(5) == 0 ? random.below(2) : shortened(random.uniform(0, 1));
  if (rows == 3 && random.below(2) == 0) {
    in.e_t = shortened(random.uniform(0.2, 1));
    in.e_o = shortened(random.uniform(0.2, 1));
  }
  return in;
}

/// Random impacts, then more of the rare kinds.
void add_random(Random& random, int rows, Writer& file) {
  for (int i = 0; i < 300; ++i) file.add(random_input(random, rows));
  for (int expansion = 0, reversal = 0; expansion < 15 || reversal < 15;) {
    const Input in = random_input(random, rows);
    const OracleImpact out = solve(in);
    const bool late = out.path == "stops-in-expansion", reverses = out.slip == "stops-and-reverses";
    if (!(late && expansion < 15) && !(reverses && reversal < 15)) continue;
    expansion += late;
    reversal += reverses;
    file.add(in, out);
  }
}

Input planar(double nn, double nt, double tt, double v_n, double v_t, double mu, double mu_static, double e) {
  Input in;
  in.A[0][0] = nn, in.A[0][1] = in.A[1][0] = nt, in.A[1][1] = tt;
  in.v[0] = v_n, in.v[1] = v_t;
  in.mu = mu, in.mu_static = mu_static, in.e = e;
  return in;
}

void write_planar(const std::string& folder) {
  Writer file(folder + "/planar_impacts.json", "n t");
  file.add(planar(2.5, -1.5, 2.5, -1, 0.5, 0.7, 0.7, 0.9));  // the tip of a rod at 45°
  file.add(planar(1, 1.2, 2, -1, 3, 1, 1, 0.5));             // jams
  file.add(planar(3, 1, 2, -1, 0, 0.5, 0.5, 0.5));           // no slip, and sticking needs all of μ
  file.add(planar(3, 1, 2, -1, 0, 0.4, 0.4, 0.5));           // no initial slip
  file.add(planar(3, 1, 2, -1, -0.1, 0.3, 0.6, 0.5));        // μ_static holds, μ would not
  file.add(planar(2, 0.5, 1, -1, -0.25, 0, 0, 1));           // frictionless; both pauses coincide
  file.add(planar(1, -1, 1, -1, 1, 0.5, 0.5, 0.8));          // a pendulum bounces
  file.add(planar(1, -2, 4, -1, 2, 1, 1, 0.8));              // a pendulum is wedged
  Random random(2011);
  add_random(random, 2, file);
}

/// A in the order nn, nt, no, tt, to, oo.
Input spatial(const std::array<double, 6>& A, const std::array<double, 3>& v, double mu, double e) {
  Input in = planar(A[0], A[1], A[3], v[0], v[1], mu, mu, e);
  in.rows = 3;
  in.A[0][2] = in.A[2][0] = A[2], in.A[1][2] = in.A[2][1] = A[4], in.A[2][2] = A[5];
  in.v[2] = v[2];
  return in;
}

void write_spatial(const std::string& folder) {
  Writer file(folder + "/spatial_impacts.json", "n t o");
  // Bodies that approach again before all energy was returned.
  file.add(spatial({0.54, 0.3, -0.7, 0.51, -0.24, 1.04}, {-1.5, -2.2, 0.8}, 1, 0.8));
  file.add(spatial({1.5, -0.67, 0.79, 1.77, 0.66, 1.78}, {-0.4, -2.3, -1.5}, 1.9, 0.7));
  file.add(spatial({0.83, -0.88, -0.66, 1, 0.61, 0.92}, {-1.1, -2.8, 3.7}, 1.4, 0.4));
  file.add(spatial({1.12, 0.92, -1.19, 1.14, -0.61, 1.83}, {-1.8, -3.7, -5}, 0.9, 0.6));
  file.add(spatial({1.66, 1.17, -0.49, 1, -0.44, 0.69}, {-0.5, 2.5, -4.5}, 1.4, 0.7));
  // A body that would, but has returned all energy just before.
  file.add(spatial({2.28, -1.74, 0.26, 1.46, -0.66, 1.82}, {-0.1, -3, -4.6}, 2.3, 0.1));
  Random random(2012);
  add_random(random, 3, file);
}

}  // namespace
}  // namespace pawl::internal::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_impacts FOLDER\n");
    return 2;
  }
  pawl::internal::testing::write_planar(argv[1]);
  pawl::internal::testing::write_spatial(argv[1]);
}
