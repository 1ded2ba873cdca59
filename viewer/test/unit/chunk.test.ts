import { describe, expect, it } from 'vitest';
import { contactId, decodeChunk, findContact, kContact, kContactSize, kHeaderBytes, rowAt } from '../../src/data/chunk';
import { decodeBase64, contactSeriesOf } from '../../src/data/run_source';
import { encodeChunk, rollingBalls } from '../fixture/runs';

const run = rollingBalls(3, 20);

describe('A chunk', () => {
  it('gives back every number that was put in', () => {
    const chunk = decodeChunk(encodeChunk(run, 4, 5));
    expect([chunk.first, chunk.count, chunk.bodies]).toEqual([4, 5, 5]);
    for (let row = 0; row < 5; ++row) {
      const state = run.state(4 + row);
      expect(chunk.time[row]).toBe(state.time);
      state.bodies.forEach((body, b) => {
        const pose = chunk.pose.subarray((row * 5 + b) * 7, (row * 5 + b + 1) * 7);
        expect([...pose]).toEqual([...body.position, ...body.orientation].map(Math.fround));
        const velocity = chunk.velocity.subarray((row * 5 + b) * 6, (row * 5 + b + 1) * 6);
        expect([...velocity]).toEqual([...body.velocity, ...body.spin].map(Math.fround));
      });
      expect(chunk.contactOffset[row + 1] - chunk.contactOffset[row]).toBe(3);
      state.contacts.forEach((contact, k) => {
        const c = chunk.contactOffset[row] + k;
        expect([...chunk.contactBodies.subarray(2 * c, 2 * c + 2)]).toEqual(contact.bodies);
        expect(chunk.contactState[c]).toBe(contact.state);
        expect(contactId(chunk, c)).toBe(`${contact.shapes[0]}.${contact.shapes[1]}.4294967298`);
        expect(chunk.contact[c * kContactSize + kContact.force + 1]).toBe(Math.fround(contact.force[1]));
        expect(chunk.contact[c * kContactSize + kContact.friction]).toBe(Math.fround(0.4));
      });
    }
  });

  it('is refused at every length but its own', () => {
    const whole = encodeChunk(run, 0, 2);
    for (let length = 0; length < whole.byteLength; ++length) expect(() => decodeChunk(whole.slice(0, length))).toThrow();
    const longer = new Uint8Array(whole.byteLength + 1);
    longer.set(new Uint8Array(whole));
    expect(() => decodeChunk(longer.buffer)).toThrow('should have');
  });

  it('is refused when it is something else, or of another version', () => {
    const foreign = encodeChunk(run, 0, 1);
    new DataView(foreign).setUint32(0, 7, true);
    expect(() => decodeChunk(foreign)).toThrow('not a chunk');
    const newer = encodeChunk(run, 0, 1);
    new DataView(newer).setUint32(4, 2, true);
    expect(() => decodeChunk(newer)).toThrow('version 2');
  });

  it('is refused when its offsets do not end at its contacts', () => {
    const wrong = encodeChunk(run, 1, 1);
    const at = kHeaderBytes + 8 + 5 * 13 * 4 + 4;
    new DataView(wrong).setUint32(at, 2, true);
    expect(() => decodeChunk(wrong)).toThrow('offsets');
  });

  it('finds a contact by its name, in the rows that have it', () => {
    const chunk = decodeChunk(encodeChunk(run, 0, 3));
    expect(findContact(chunk, 0, '2.0.4294967298')).toBe(-1);
    expect(findContact(chunk, 1, '2.0.4294967298')).toBe(1);
    expect(findContact(chunk, 2, '2.0.4294967298')).toBe(4);
    expect(findContact(chunk, 2, '2.0.1')).toBe(-1);
    expect(contactSeriesOf(chunk, '2.0.4294967298').time).toEqual([0.01, 0.02]);
  });

  it('comes out of base64 as it went in', () => {
    const bytes = encodeChunk(run, 0, 3);
    expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes);
  });
});

describe('rowAt', () => {
  it('is the last row that is not later', () => {
    const time = [0, 1, 1, 2];
    expect([-1, 0, 0.5, 1, 1.5, 2, 9].map((at) => rowAt(time, at))).toEqual([0, 0, 0, 2, 2, 3, 3]);
  });
});
