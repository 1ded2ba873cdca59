#pragma once
// SQLite, with errors as exceptions that name the file.

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace pawl::internal {

class Database {
 public:
  enum class Mode { read, write };
  /// Throws Error if the file cannot be opened. `write` creates it.
  Database(const std::string& path, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  void run(const std::string& sql);
  /// The first column of the first row.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);
  [[noreturn]] void fail() const;
  sqlite3* handle() { return handle_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// A prepared statement. Parameters and columns are counted from 0.
class Statement {
 public:
  Statement(Database& database, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int index, std::int64_t value);
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind_null(int index);
  /// True if there is a row.
  bool step();
  /// For the next execution.
  void reset();

  bool is_null(int column) const;
  bool is_text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

 private:
  void check(int code) const;
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace pawl::internal
