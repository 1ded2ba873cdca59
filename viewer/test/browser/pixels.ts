// Analysis of screenshots.
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

export interface Picture {
  width: number;
  height: number;
  /** [height, width, 3]. */
  rgb: Uint8Array;
}

/** Screenshot of a scene. */
export async function pictureOfScene(page: Page, index = 0): Promise<Picture> {
  return decodePng(await page.locator('.stage').nth(index).screenshot());
}

export function colourAt(picture: Picture, x: number, y: number): [number, number, number] {
  const at = 3 * (Math.round(y) * picture.width + Math.round(x));
  return [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]];
}

/** Saturation of a colour: 0 for grey. */
export function saturation([r, g, b]: [number, number, number]): number {
  return Math.max(r, g, b) - Math.min(r, g, b);
}

/** Fraction of pixels that differ. */
export function difference(one: Picture, other: Picture): number {
  let count = 0;
  for (let i = 0; i < one.rgb.length; i += 3) {
    const far = Math.abs(one.rgb[i] - other.rgb[i]) + Math.abs(one.rgb[i + 1] - other.rgb[i + 1]) + Math.abs(one.rgb[i + 2] - other.rgb[i + 2]);
    if (far > 24) ++count;
  }
  return count / (one.rgb.length / 3);
}

/** Decodes screenshots: PNG with 8 bits, RGB or RGBA, not interlaced. */
function decodePng(png: Buffer): Picture {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const bytes = unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; ++i) for (let k = 0; k < 3; ++k) rgb[3 * i + k] = bytes[channels * i + k];
  return { width, height, rgb };
}

/** PNG filters: each row is predicted from the pixels to the left (a), above (b) and above left (c). */
function unfilter(raw: Buffer, rowBytes: number, height: number, channels: number): Uint8Array {
  const out = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (rowBytes + 1)];
    for (let x = 0; x < rowBytes; ++x) {
      const at = y * rowBytes + x;
      const a = x >= channels ? out[at - channels] : 0;
      const b = y > 0 ? out[at - rowBytes] : 0;
      const c = x >= channels && y > 0 ? out[at - rowBytes - channels] : 0;
      const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
      out[at] = raw[y * (rowBytes + 1) + 1 + x] + guess;
    }
  }
  return out;
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c;
  const [da, db, dc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}
