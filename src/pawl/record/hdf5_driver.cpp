#include <pawl/record/hdf5_driver.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace pawl::internal::h5 {
namespace {

constexpr haddr_t kAlignment = 8;

// HDF5's base struct must be the first member, because HDF5 passes its address as the driver's.
template <class Disk>
struct Driver {
  H5FD_t hdf5;
  Disk* disk;
  haddr_t end;  // end of the allocated space
};
using Writing = Driver<OrderedFile>;
using Reading = Driver<CheckedFile>;

template <class D>
D& driver(H5FD_t* file) {
  return *reinterpret_cast<D*>(file);
}
template <class D>
const D& driver(const H5FD_t* file) {
  return *reinterpret_cast<const D*>(file);
}

template <class Disk>
H5FD_t* open(const char*, unsigned flags, hid_t access, haddr_t) {
  auto* disk = *static_cast<Disk* const*>(H5Pget_driver_info(access));
  const bool fresh = (flags & H5F_ACC_TRUNC) != 0;
  auto* made = new (std::nothrow) Driver<Disk>{{}, disk, fresh ? 0 : disk->size()};
  return made == nullptr ? nullptr : &made->hdf5;
}

template <class D>
herr_t close(H5FD_t* file) {
  delete &driver<D>(file);
  return 0;
}

// No features. In particular HDF5 must not aggregate metadata of several kinds into one access or reserve
// space for later blocks: OrderedFile recognises a new block by its address past the end.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = 0;
  return 0;
}

template <class D>
haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) {
  return driver<D>(file).end;
}

template <class D>
herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driver<D>(file).end = end;
  return 0;
}

template <class D>
haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) {
  return driver<D>(file).disk->size();
}

BlockKind kind_of(H5FD_mem_t type) {
  switch (type) {
    case H5FD_MEM_SUPER:
      return BlockKind::superblock;
    case H5FD_MEM_BTREE:
      return BlockKind::index;
    case H5FD_MEM_OHDR:
      return BlockKind::header;
    case H5FD_MEM_DRAW:
      return BlockKind::data;
    default:
      return BlockKind::other;
  }
}

// Metadata blocks of at most one page are placed so that they do not cross a page boundary.
haddr_t alloc(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  constexpr haddr_t kPage = OrderedFile::kPageBytes;
  haddr_t address = (driver<Writing>(file).end + kAlignment - 1) / kAlignment * kAlignment;
  const haddr_t page_end = (address / kPage + 1) * kPage;
  if (kind_of(type) != BlockKind::data && size <= kPage && address + size > page_end) address = page_end;
  driver<Writing>(file).end = address + size;
  return address;
}

herr_t read_back(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  return driver<Writing>(file).disk->read(address, {static_cast<std::byte*>(buffer), size}) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size, const void* buffer) {
  driver<Writing>(file).disk->write(kind_of(type), address, {static_cast<const std::byte*>(buffer), size});
  return 0;
}

herr_t flush(H5FD_t* file, hid_t, hbool_t) {
  driver<Writing>(file).disk->commit(driver<Writing>(file).end);
  return 0;
}

herr_t read_checked(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size, void* buffer) {
  using Kind = CheckedFile::Kind;
  const Kind kind = type == H5FD_MEM_BTREE ? Kind::index : type == H5FD_MEM_DRAW ? Kind::data : Kind::other;
  return driver<Reading>(file).disk->read(kind, address, {static_cast<std::byte*>(buffer), size}) ? 0 : -1;
}

template <class Disk>
H5FD_class_t driver_class(const char* name) {
  using D = Driver<Disk>;
  H5FD_class_t c{};
  c.name = name;
  c.maxaddr = std::numeric_limits<std::int64_t>::max();
  c.fc_degree = H5F_CLOSE_STRONG;
  c.fapl_size = sizeof(Disk*);
  c.open = open<Disk>;
  c.close = close<D>;
  c.query = query;
  c.get_eoa = get_eoa<D>;
  c.set_eoa = set_eoa<D>;
  c.get_eof = get_eof<D>;
  std::fill(std::begin(c.fl_map), std::end(c.fl_map), H5FD_MEM_DEFAULT);
  return c;
}

H5FD_class_t writing_class() {
  H5FD_class_t c = driver_class<OrderedFile>("pawl_ordered");
  c.alloc = alloc;
  c.read = read_back;
  c.write = write;
  c.flush = flush;
  return c;
}

H5FD_class_t reading_class() {
  H5FD_class_t c = driver_class<CheckedFile>("pawl_checked");
  c.read = read_checked;
  // HDF5 registers no driver without it.
  c.write = [](H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, const void*) -> herr_t { return -1; };
  return c;
}

template <class Disk>
Handle access_through(hid_t driver_id, Disk& disk) {
  Handle access = check(H5Pcreate(H5P_FILE_ACCESS), "prepare the file");
  Disk* const info = &disk;
  check_ok(H5Pset_driver(access, driver_id, &info), "set the file driver");
  check_ok(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "prepare the file");
  return access;
}

// Registered once and never released, like HDF5's own drivers: H5FD_close drops the file's reference before
// its last call to the driver and would then read a freed class.
hid_t register_driver(const H5FD_class_t& driver_class) {
  return check(H5FDregister(&driver_class), "register the file driver").release();
}

// Of its metadata the writer needs the headers and the last nodes of the chunk indices only. HDF5's cache
// would also keep the earlier nodes: 16 MB after 300,000 rows. It takes about ten times the bytes it counts.
void bound_metadata_cache(hid_t access) {
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check_ok(H5Pget_mdc_config(access, &cache), "prepare the file");
  cache.set_initial_size = true;
  cache.initial_size = cache.min_size = cache.max_size = kBytes;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check_ok(H5Pset_mdc_config(access, &cache), "prepare the file");
}

}  // namespace

Handle make_file_access(OrderedFile& disk) {
  static const H5FD_class_t kClass = writing_class();
  static const hid_t id = register_driver(kClass);
  Handle access = access_through(id, disk);
  bound_metadata_cache(access);
  // The format of HDF5 1.8 (2008). Every reader supports it. It has no "open for writing" flag that a kill
  // would leave set, and its chunk index is the one that OrderedFile can order.
  check_ok(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "set the HDF5 version");
  return access;
}

Handle make_file_access(CheckedFile& disk) {
  static const H5FD_class_t kClass = reading_class();
  static const hid_t id = register_driver(kClass);
  return access_through(id, disk);
}

}  // namespace pawl::internal::h5
