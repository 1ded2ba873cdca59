#include <pawl/store/database.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sqlite3.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

constexpr int kBusyMilliseconds = 5000;

/// ": No such file or directory"; "" if the system gave no reason.
std::string system_reason(sqlite3* handle) {
  const int error = sqlite3_system_errno(handle);
  return error == 0 ? "" : fmt::format(": {}", std::strerror(error));
}

std::string reason(sqlite3* handle) {
  switch (sqlite3_errcode(handle)) {
    case SQLITE_FULL:
      return "the disk is full; the runs so far are stored, and the same command continues";
    case SQLITE_NOTADB:
      return "is not a study: a study is an SQLite file that pawl sweep wrote";
    case SQLITE_CORRUPT:
      return "the file is damaged; 'sqlite3 FILE .recover' may save its rows";
    case SQLITE_READONLY:
      return "cannot be written";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program uses the file";
    case SQLITE_IOERR:
      return fmt::format(
          "cannot be read or written{}; the runs so far are stored, and the same command continues",
          system_reason(handle));
    case SQLITE_CANTOPEN:
      return "cannot be opened" + system_reason(handle);
    default:
      return sqlite3_errmsg(handle);
  }
}

}  // namespace

Database::Database(const std::string& path, Mode mode) : path_(path) {
  const int flags = mode == Mode::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    const std::string message = handle_ == nullptr ? "out of memory" : reason(handle_);
    sqlite3_close(handle_);
    throw Error(fmt::format("{}: {}", path, message));
  }
  sqlite3_busy_timeout(handle_, kBusyMilliseconds);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::fail() const {
  throw Error(fmt::format("{}: {}", path_, reason(handle_)));
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Database::text(const std::string& sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.text(0) : "";
}

Statement::Statement(Database& database, const std::string& sql) : database_(database) {
  check(sqlite3_prepare_v2(database_.handle(), sql.c_str(), -1, &statement_, nullptr));
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) database_.fail();
}

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, index + 1, value));
}

void Statement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_, index + 1, value));
}

void Statement::bind(int index, std::string_view value) {
  check(sqlite3_bind_text(statement_, index + 1, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
}

void Statement::bind_null(int index) {
  check(sqlite3_bind_null(statement_, index + 1));
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  check(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  check(sqlite3_reset(statement_));
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

bool Statement::is_text(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_TEXT;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  return text == nullptr ? ""
                         : std::string(reinterpret_cast<const char*>(text),
                                       static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

}  // namespace pawl::internal
