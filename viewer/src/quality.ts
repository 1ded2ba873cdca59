// Rendering cost of a frame, lowered automatically on slow machines.

export interface Quality {
  name: string;
  /** Max rendered pixels per page pixel. */
  pixelRatio: number;
  /** Pixels per side of the shadow map; 0: no shadows. */
  shadowMap: number;
  /** Level of detail of round shapes, from 0 to 1. */
  detail: number;
  gloss: boolean;
  /** Trails, names and grid lines, which are dropped while playback is slow. */
  decorations: boolean;
}

export const kQualities: Quality[] = [
  { name: 'high', pixelRatio: 2, shadowMap: 2048, detail: 1, gloss: true, decorations: true },
  { name: 'medium', pixelRatio: 1, shadowMap: 1024, detail: 0.75, gloss: false, decorations: true },
  { name: 'low', pixelRatio: 1, shadowMap: 0, detail: 0.5, gloss: false, decorations: true },
  { name: 'lowest', pixelRatio: 0.6, shadowMap: 0, detail: 0.34, gloss: false, decorations: false },
];

const kTooSlow = 1 / 24;  // s per frame
const kFastEnough = 1 / 50;
const kFramesToLower = 6;
const kFramesToRaise = 240;

/** Chooses an entry of kQualities from the measured frame times. */
export class QualityController {
  level = 0;
  private slow = 0;
  private fast = 0;
  /** A level that was too slow is retried only once, to avoid flicker between two levels. */
  private readonly failures = kQualities.map(() => 0);

  /** Adds the time since the previous frame; returns true if the level has changed. */
  addFrameTime(seconds: number): boolean {
    if (seconds > kTooSlow) {
      this.fast = 0;
      // A very slow frame counts as several.
      this.slow += Math.min(seconds / kTooSlow, kFramesToLower / 2);
    } else {
      this.slow = Math.max(0, this.slow - 1);
      this.fast = seconds < kFastEnough ? this.fast + 1 : 0;
    }
    if (this.slow >= kFramesToLower && this.level + 1 < kQualities.length) {
      ++this.failures[this.level];
      return this.change(this.level + 1);
    }
    if (this.fast >= kFramesToRaise && this.level > 0 && this.failures[this.level - 1] < 2) return this.change(this.level - 1);
    return false;
  }

  private change(level: number): boolean {
    this.level = level;
    this.slow = 0;
    this.fast = 0;
    return true;
  }
}

/** True if rendering is done in software. Antialiasing then costs as much as everything else. */
export function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return true;
  const named = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = String(gl.getParameter(named ? named.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(renderer);
}
