#include <pawl/store/study_store.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include <pawl/error.h>

namespace pawl::internal {
namespace {

constexpr std::int64_t kApplication = 0x5041574C;  // "PAWL"
constexpr std::int64_t kFormat = 1;
constexpr int kFirstColumn = 8;  // of parameters
constexpr RunStatus kStatuses[] = {RunStatus::certified, RunStatus::uncertified, RunStatus::refused,
                                   RunStatus::invalid};

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::vector<std::string> value_columns(const StudyInfo& info) {
  std::vector<std::string> columns;
  for (const ParameterColumn& p : info.parameters) columns.push_back(quoted("p." + p.name));
  for (const OutcomeColumn& o : info.outcomes) columns.push_back(quoted("o." + o.name));
  return columns;
}

void bind_value(Statement& statement, int index, const OutcomeValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    statement.bind(index, *number);
  } else if (const std::string* name = std::get_if<std::string>(&value)) {
    statement.bind(index, std::string_view(*name));
  } else {
    statement.bind_null(index);
  }
}

/// The lines of --set in one line.
std::string settings_text(const std::string& overrides) {
  std::string text = overrides.empty() ? "nothing" : overrides.substr(0, overrides.size() - 1);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n'))
    text.replace(at, 1, ", ");
  return text;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void check_same(const std::string& path, const StudyIdentity& old, const StudyIdentity& now) {
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}; give another file to -o, or delete this one", path, what));
  };
  if (old.scene_text != now.scene_text) fail("is a study of another scene: the scene file has another text");
  if (old.overrides != now.overrides)
    fail(fmt::format("is a study with other settings: --set {}, now {}", settings_text(old.overrides),
                     settings_text(now.overrides)));
  if (old.fingerprint != now.fingerprint)
    fail("is a study of another scene: a mesh or another file that it reads has changed");
  if (old.design != now.design)
    fail(fmt::format("is a study of another design: {}, now {}", old.design, now.design));
  if (old.version != now.version)
    fail(fmt::format("was written by pawl {}, and this is {}, whose runs may differ", old.version,
                     now.version));
}

}  // namespace

void check_same_study(const std::string& path, const StudyInfo& study, const StudyInfo& other) {
  check_same(path, study.identity, other.identity);
}

std::string_view to_string(RunStatus status) {
  switch (status) {
    case RunStatus::certified:
      return "certified";
    case RunStatus::uncertified:
      return "uncertified";
    case RunStatus::refused:
      return "refused";
    case RunStatus::invalid:
      return "invalid";
  }
  return "?";
}

bool same_result(const StudyRow& a, const StudyRow& b) {
  if (a.sample != b.sample || a.status != b.status || a.message != b.message || a.steps != b.steps ||
      a.uncertified != b.uncertified || !same_bits(a.end_time, b.end_time) || a.checksum != b.checksum ||
      a.parameters.size() != b.parameters.size() || a.outcomes.size() != b.outcomes.size())
    return false;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    if (!same_bits(a.parameters[i], b.parameters[i])) return false;
  }
  for (std::size_t i = 0; i < a.outcomes.size(); ++i) {
    const double *x = std::get_if<double>(&a.outcomes[i]), *y = std::get_if<double>(&b.outcomes[i]);
    if (x != nullptr && y != nullptr ? !same_bits(*x, *y) : a.outcomes[i] != b.outcomes[i]) return false;
  }
  return true;
}

/// One sweep at a time writes a study. Held on the file itself and released by the system when the process
/// ends. It must outlive the database: closing the file would drop SQLite's own locks.
struct StudyStore::Lock {
  int file;
  explicit Lock(const std::string& path) : file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (file < 0) throw Error(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return;
    close(file);
    throw Error(fmt::format("{}: another sweep is writing this study", path));
  }
  ~Lock() { close(file); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

StudyStore::StudyStore(const std::string& path) : database_(path, Database::Mode::read) {
  check_file();
  read_info();
}

StudyStore::StudyStore(const std::string& path, const StudyInfo& info)
    : lock_(std::make_unique<Lock>(path)), database_(path, Database::Mode::write) {
  const bool is_new = database_.integer("SELECT count(*) FROM sqlite_master") == 0;
  if (!is_new) {
    check_file();
    if (const std::string damage = database_.text("PRAGMA quick_check(1)"); damage != "ok")
      throw Error(fmt::format("{}: the file is damaged: {}; 'sqlite3 FILE .recover' may save its rows", path,
                              damage));
    read_info();
    check_same_study(path, info_, info);
  }
  // With a log each commit survives the end of this process, however it ends.
  database_.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (is_new) create(info);
  read_info();
}

StudyStore::~StudyStore() = default;

void StudyStore::check_file() {
  if (database_.integer("PRAGMA application_id") != kApplication)
    throw Error(
        fmt::format("{}: is not a study: a study is an SQLite file that pawl sweep wrote", database_.path()));
  const std::int64_t format = database_.integer("PRAGMA user_version");
  if (format != kFormat)
    throw Error(
        fmt::format("{}: has format {} of studies, this pawl reads {}", database_.path(), format, kFormat));
}

void StudyStore::create(const StudyInfo& info) {
  std::string columns;
  for (const ParameterColumn& p : info.parameters) columns += fmt::format(", {} REAL", quoted("p." + p.name));
  for (const OutcomeColumn& o : info.outcomes)
    columns += fmt::format(", {} {}", quoted("o." + o.name), o.kind == "pose" ? "TEXT" : "REAL");
  database_.run(fmt::format(
      "BEGIN; PRAGMA application_id = {}; PRAGMA user_version = {};"
      "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE parameters (position INTEGER PRIMARY KEY, name TEXT NOT NULL, unit TEXT NOT NULL,"
      " parameter TEXT NOT NULL);"
      "CREATE TABLE outcomes (position INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL);"
      "CREATE TABLE runs (sample INTEGER PRIMARY KEY, status TEXT NOT NULL, message TEXT NOT NULL,"
      " steps INTEGER NOT NULL, uncertified INTEGER NOT NULL, end_time REAL NOT NULL, checksum INTEGER NOT "
      "NULL,"
      " seconds REAL NOT NULL{})",
      kApplication, kFormat, columns));
  {
    Statement set(database_, "INSERT INTO study VALUES (?, ?)");
    const std::pair<const char*, const std::string*> entries[] = {{"version", &info.identity.version},
                                                                  {"scene_text", &info.identity.scene_text},
                                                                  {"overrides", &info.identity.overrides},
                                                                  {"design", &info.identity.design},
                                                                  {"fingerprint", &info.identity.fingerprint},
                                                                  {"scene_file", &info.scene_file},
                                                                  {"scene_name", &info.scene_name}};
    for (const auto& [key, value] : entries) {
      set.bind(0, std::string_view(key));
      set.bind(1, std::string_view(*value));
      set.step();
      set.reset();
    }
    Statement parameter(database_, "INSERT INTO parameters VALUES (NULL, ?, ?, ?)");
    for (const ParameterColumn& p : info.parameters) {
      parameter.bind(0, std::string_view(p.name));
      parameter.bind(1, std::string_view(p.unit));
      parameter.bind(2, std::string_view(p.parameter));
      parameter.step();
      parameter.reset();
    }
    Statement outcome(database_, "INSERT INTO outcomes VALUES (NULL, ?, ?)");
    for (const OutcomeColumn& o : info.outcomes) {
      outcome.bind(0, std::string_view(o.name));
      outcome.bind(1, std::string_view(o.kind));
      outcome.step();
      outcome.reset();
    }
  }
  database_.run("COMMIT");
}

void StudyStore::read_info() {
  info_ = {};
  const auto value = [&](const char* key) {
    return database_.text(fmt::format("SELECT value FROM study WHERE key = '{}'", key));
  };
  info_.identity = {value("version"), value("scene_text"), value("overrides"), value("design"),
                    value("fingerprint")};
  info_.scene_file = value("scene_file");
  info_.scene_name = value("scene_name");
  Statement parameters(database_, "SELECT name, unit, parameter FROM parameters ORDER BY position");
  while (parameters.step())
    info_.parameters.push_back({parameters.text(0), parameters.text(1), parameters.text(2)});
  Statement outcomes(database_, "SELECT name, type FROM outcomes ORDER BY position");
  while (outcomes.step()) info_.outcomes.push_back({outcomes.text(0), outcomes.text(1)});
}

std::uint64_t StudyStore::size() {
  return static_cast<std::uint64_t>(database_.integer("SELECT count(*) FROM runs"));
}

std::vector<bool> StudyStore::stored(std::uint64_t count) {
  std::vector<bool> stored(count, false);
  Statement statement(database_, "SELECT sample FROM runs WHERE sample >= 0 AND sample < ?");
  statement.bind(0, static_cast<std::int64_t>(count));
  while (statement.step()) stored[static_cast<std::size_t>(statement.integer(0))] = true;
  return stored;
}

void StudyStore::insert(const std::vector<StudyRow>& rows) {
  if (rows.empty()) return;
  if (!insert_) {
    std::string places(2 * (kFirstColumn + value_columns(info_).size()), ',');
    for (std::size_t i = 0; i < places.size(); i += 2) places[i] = '?';
    places.pop_back();
    insert_ = std::make_unique<Statement>(database_, fmt::format("INSERT INTO runs VALUES ({})", places));
  }
  if (rows.size() == 1) return insert_row(rows.front());
  database_.run("BEGIN IMMEDIATE");
  try {
    for (const StudyRow& row : rows) insert_row(row);
    database_.run("COMMIT");
  } catch (const Error&) {
    try {
      database_.run("ROLLBACK");
    } catch (const Error&) {  // SQLite has rolled back already
    }
    throw;
  }
}

void StudyStore::insert_row(const StudyRow& row) {
  Statement& statement = *insert_;
  statement.bind(0, static_cast<std::int64_t>(row.sample));
  statement.bind(1, to_string(row.status));
  statement.bind(2, std::string_view(row.message));
  statement.bind(3, row.steps);
  statement.bind(4, row.uncertified);
  statement.bind(5, row.end_time);
  statement.bind(6, std::bit_cast<std::int64_t>(row.checksum));
  statement.bind(7, row.seconds);
  int at = kFirstColumn;
  for (const double value : row.parameters) statement.bind(at++, value);
  for (const OutcomeValue& value : row.outcomes) bind_value(statement, at++, value);
  statement.step();
  statement.reset();
}

std::string StudyStore::select() const {
  const std::vector<std::string> values = value_columns(info_);
  return fmt::format(
      "SELECT sample, status, message, steps, uncertified, end_time, checksum, seconds{}{} FROM runs",
      values.empty() ? "" : ", ", fmt::join(values, ", "));
}

StudyRow StudyStore::row_of(const Statement& statement) const {
  StudyRow row;
  row.sample = static_cast<std::uint64_t>(statement.integer(0));
  const std::string status = statement.text(1);
  bool known = false;
  for (const RunStatus each : kStatuses) {
    if (to_string(each) != status) continue;
    row.status = each;
    known = true;
  }
  if (!known)
    throw Error(
        fmt::format("{}: sample {} has the unknown status '{}'", database_.path(), row.sample, status));
  row.message = statement.text(2);
  row.steps = statement.integer(3);
  row.uncertified = statement.integer(4);
  row.end_time = statement.real(5);
  row.checksum = std::bit_cast<std::uint64_t>(statement.integer(6));
  row.seconds = statement.real(7);
  int at = kFirstColumn;
  for (std::size_t i = 0; i < info_.parameters.size(); ++i) row.parameters.push_back(statement.real(at++));
  for (std::size_t i = 0; i < info_.outcomes.size(); ++i, ++at) {
    if (statement.is_null(at)) {
      row.outcomes.emplace_back();
    } else if (statement.is_text(at)) {
      row.outcomes.emplace_back(statement.text(at));
    } else {
      row.outcomes.emplace_back(statement.real(at));
    }
  }
  return row;
}

void StudyStore::read(const std::function<void(const StudyRow& row)>& row, std::uint64_t end) {
  Statement statement(database_, select() + " WHERE sample < ? ORDER BY sample");
  statement.bind(0, static_cast<std::int64_t>(end));
  while (statement.step()) row(row_of(statement));
}

StudyRow StudyStore::row(std::uint64_t sample) {
  Statement statement(database_, select() + " WHERE sample = ?");
  statement.bind(0, static_cast<std::int64_t>(sample));
  if (!statement.step())
    throw Error(fmt::format("{}: has no sample {}: it has {} runs, the last is {}", database_.path(), sample,
                            size(), database_.integer("SELECT max(sample) FROM runs")));
  return row_of(statement);
}

void StudyStore::finish() {
  insert_.reset();
  database_.run("PRAGMA journal_mode = DELETE");
}

}  // namespace pawl::internal
