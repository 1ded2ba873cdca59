import { describe, expect, it } from 'vitest';
import { roundLength } from '../../src/scene/ground';
import * as format from '../../src/ui/format';
import { withBreaks } from '../../src/ui/plots';

describe('Numbers', () => {
  it('are short at any size', () => {
    expect([0, 1, -0.5, 12345.678, 1e-9, -2.5e7].map(format.number)).toEqual(['0', '1', '−0.5000', '1.23e4', '1.00e−9', '−2.50e7']);
  });

  it('that are none are told as such', () => {
    expect([NaN, null, undefined, Infinity, -Infinity].map(format.number)).toEqual(['–', '–', '–', '∞', '−∞']);
  });

  it('of time tell steps apart', () => {
    expect(format.time(0.1235, 0.0005)).toBe('0.12350 s');
    expect(format.time(3, 0.05)).toBe('3.000 s');
  });
});

describe('roundLength', () => {
  it('is 1, 2 or 5 times a power of ten at any scale', () => {
    expect([0.0011, 0.018, 0.6, 1, 30, 800].map(roundLength)).toEqual([0.001, 0.02, 0.5, 1, 20, 1000]);
  });
});

describe('withBreaks', () => {
  it('breaks the line of a contact that was gone', () => {
    expect(withBreaks([0, 1, 2, 7, 8], 1)).toEqual({ time: [0, 1, 2, 4.5, 7, 8], rows: [0, 1, 2, -1, 3, 4] });
  });

  it('does not break where states are kept further apart than steps', () => {
    expect(withBreaks([0, 10, 20], 1).rows).toEqual([0, 1, 2]);
  });
});
