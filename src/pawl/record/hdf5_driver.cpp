#include <pawl/record/hdf5_driver.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace pawl::internal::h5 {
namespace {

constexpr haddr_t kAlignment = 8;

struct Driver {
  // HDF5's base struct. It must be the first member, because HDF5 passes its address as the Driver's.
  H5FD_t hdf5;
  OrderedFile* disk;
  haddr_t end;  // end of the allocated space
};

Driver& driver(H5FD_t* file) {
  return *reinterpret_cast<Driver*>(file);
}
const Driver& driver(const H5FD_t* file) {
  return *reinterpret_cast<const Driver*>(file);
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

H5FD_t* open(const char*, unsigned flags, hid_t access, haddr_t) {
  auto* disk = *static_cast<OrderedFile* const*>(H5Pget_driver_info(access));
  const bool fresh = (flags & H5F_ACC_TRUNC) != 0;
  return &(new Driver{{}, disk, fresh ? 0 : disk->size()})->hdf5;
}

herr_t close(H5FD_t* file) {
  delete &driver(file);
  return 0;
}

// No features. In particular HDF5 must not aggregate metadata of several kinds into one write or reserve
// space for later blocks: OrderedFile recognises a new block by its address past the end.
herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = 0;
  return 0;
}

// Metadata blocks of at most one page are placed so that they do not cross a page boundary.
haddr_t alloc(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  constexpr haddr_t kPage = OrderedFile::kPageBytes;
  haddr_t address = (driver(file).end + kAlignment - 1) / kAlignment * kAlignment;
  const haddr_t page_end = (address / kPage + 1) * kPage;
  if (kind_of(type) != BlockKind::data && size <= kPage && address + size > page_end) address = page_end;
  driver(file).end = address + size;
  return address;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) {
  return driver(file).end;
}

herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  driver(file).end = end;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) {
  return driver(file).disk->size();
}

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  return driver(file).disk->read(address, {static_cast<std::byte*>(buffer), size}) ? 0 : -1;
}

herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, size_t size, const void* buffer) {
  driver(file).disk->write(kind_of(type), address, {static_cast<const std::byte*>(buffer), size});
  return 0;
}

herr_t flush(H5FD_t* file, hid_t, hbool_t) {
  driver(file).disk->commit(driver(file).end);
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t c{};
  c.name = "pawl_ordered";
  c.maxaddr = std::numeric_limits<std::int64_t>::max();
  c.fc_degree = H5F_CLOSE_STRONG;
  c.fapl_size = sizeof(OrderedFile*);
  c.open = open;
  c.close = close;
  c.query = query;
  c.alloc = alloc;
  c.get_eoa = get_eoa;
  c.set_eoa = set_eoa;
  c.get_eof = get_eof;
  c.read = read;
  c.write = write;
  c.flush = flush;
  std::fill(std::begin(c.fl_map), std::end(c.fl_map), H5FD_MEM_DEFAULT);
  return c;
}

}  // namespace

Handle make_file_access(OrderedFile& disk) {
  static const H5FD_class_t kClass = driver_class();
  // Registered once and never released, like HDF5's own drivers: H5FD_close drops the file's reference before
  // its last call to the driver and would then read a freed class.
  static const hid_t id = check(H5FDregister(&kClass), "register the file driver").release();
  Handle access = check(H5Pcreate(H5P_FILE_ACCESS), "prepare the file");
  OrderedFile* const info = &disk;
  check_ok(H5Pset_driver(access, id, &info), "set the file driver");
  check_ok(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "prepare the file");
  // The format of HDF5 1.8 (2008). Every reader supports it. It has no "open for writing" flag that a kill
  // would leave set, and its chunk index is the one that OrderedFile can order.
  check_ok(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "set the HDF5 version");
  return access;
}

}  // namespace pawl::internal::h5
