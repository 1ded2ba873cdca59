// A chunk: consecutive states of a run from `first` on, in the binary format of docs/viewer.md.

export const kMagic = 0x43574c50;
export const kVersion = 1;
export const kHeaderBytes = 24;
export const kPoseSize = 7;
export const kVelocitySize = 6;
export const kContactSize = 22;

export interface Chunk {
  first: number;
  count: number;
  bodies: number;
  time: Float64Array;
  /** [count, bodies, 7]: position, then orientation w, x, y, z. */
  pose: Float32Array;
  /** [count, bodies, 6]: velocity of the centre of mass, angular velocity. */
  velocity: Float32Array;
  /** [count + 1]: the contacts of row i are [offset[i], offset[i + 1]). */
  contactOffset: Uint32Array;
  contactBodies: Int32Array;
  contactShapes: Int32Array;
  contactFeature: Uint32Array;
  contactState: Uint32Array;
  /** [contacts, 22]: see kContact. */
  contact: Float32Array;
  bytes: number;
}

/** Offsets of the values of a contact in its row of Chunk.contact. */
export const kContact = { point: 0, normal: 3, tangent: 6, gap: 9, force: 10, velocity: 14, friction: 18 } as const;

/** Throws if the bytes are not one complete chunk. */
export function decodeChunk(buffer: ArrayBuffer): Chunk {
  if (buffer.byteLength < kHeaderBytes) throw new Error(`a chunk of ${buffer.byteLength} bytes has no header`);
  const [magic, version, first, count, bodies, contacts] = new Uint32Array(buffer, 0, 6);
  if (magic !== kMagic) throw new Error('these bytes are not a chunk of a run');
  if (version !== kVersion) throw new Error(`chunk version ${version} is unknown; this page reads version ${kVersion}`);

  const bytes = chunkBytes(count, bodies, contacts);
  if (buffer.byteLength !== bytes) throw new Error(`a chunk of ${buffer.byteLength} bytes should have ${bytes}`);

  let at = kHeaderBytes;
  const take = <T>(type: new (buffer: ArrayBuffer, at: number, length: number) => T, length: number, size: number): T => {
    const view = new type(buffer, at, length);
    at += length * size;
    return view;
  };
  const chunk: Chunk = {
    first,
    count,
    bodies,
    time: take(Float64Array, count, 8),
    pose: take(Float32Array, count * bodies * kPoseSize, 4),
    velocity: take(Float32Array, count * bodies * kVelocitySize, 4),
    contactOffset: take(Uint32Array, count + 1, 4),
    contactBodies: take(Int32Array, contacts * 2, 4),
    contactShapes: take(Int32Array, contacts * 2, 4),
    contactFeature: take(Uint32Array, contacts * 2, 4),
    contactState: take(Uint32Array, contacts, 4),
    contact: take(Float32Array, contacts * kContactSize, 4),
    bytes,
  };
  if (chunk.contactOffset[count] !== contacts) throw new Error('the offsets of a chunk do not end at its contacts');
  return chunk;
}

function chunkBytes(count: number, bodies: number, contacts: number): number {
  const states = 8 + 4 * bodies * (kPoseSize + kVelocitySize) + 4;
  const words = 2 + 2 + 2 + 1 + kContactSize;
  return kHeaderBytes + count * states + 4 + 4 * contacts * words;
}

/** Identifier of a contact over time: its shapes and its feature. */
export function contactId(chunk: Chunk, contact: number): string {
  const feature = (BigInt(chunk.contactFeature[2 * contact]) << 32n) | BigInt(chunk.contactFeature[2 * contact + 1]);
  return `${chunk.contactShapes[2 * contact]}.${chunk.contactShapes[2 * contact + 1]}.${feature}`;
}

/** Index of the contact with this identifier in a row of the chunk, or -1. */
export function findContact(chunk: Chunk, row: number, id: string): number {
  for (let c = chunk.contactOffset[row]; c < chunk.contactOffset[row + 1]; ++c) {
    if (contactId(chunk, c) === id) return c;
  }
  return -1;
}

/** Index of the last row with time ≤ `at`, at least 0. */
export function rowAt(time: ArrayLike<number>, at: number): number {
  let low = 0;
  let high = time.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (time[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
