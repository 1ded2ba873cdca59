// Past positions of bodies: lines that fade into the past, from cached states.
import { Color, Vector2 } from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import { kPoseSize } from '../data/chunk';
import type { FrameStore } from '../data/frame_store';

const kPoints = 160;

export class Trails {
  readonly lines: LineSegments2;
  private readonly material = new LineMaterial({ linewidth: 2.2, vertexColors: true, transparent: true, opacity: 0.85 });

  constructor() {
    this.lines = new LineSegments2(new LineSegmentsGeometry(), this.material);
    this.lines.frustumCulled = false;
    this.lines.visible = false;
  }

  resize(width: number, height: number): void {
    this.material.resolution = new Vector2(width, height);
  }

  /** Trails of these bodies over the last `states` states up to `state`, fading into the background. */
  show(store: FrameStore, state: number, states: number, bodies: number[], colourOf: (body: number) => string, background: string): void {
    const past: number[][] = bodies.map(() => []);
    const stride = Math.max(1, Math.ceil(states / kPoints));
    // Multiples of the stride from 0 on, so that corners stay fixed as time advances.
    const first = Math.max(0, Math.ceil((state - states) / stride) * stride);
    for (let s = first; ; s = Math.min(s + stride, state)) {
      const frame = store.peek(s);
      if (frame) {
        bodies.forEach((body, i) => {
          const at = (frame.row * frame.chunk.bodies + body) * kPoseSize;
          past[i].push(...frame.chunk.pose.subarray(at, at + 3));
        });
      }
      if (s >= state) break;
    }

    const positions: number[] = [];
    const colours: number[] = [];
    const back = new Color(background);
    bodies.forEach((body, i) => {
      const colour = new Color(colourOf(body));
      const points = past[i].length / 3;
      for (let k = 0; k + 1 < points; ++k) {
        positions.push(...past[i].slice(3 * k, 3 * k + 6));
        for (const end of [k, k + 1]) colours.push(...back.clone().lerp(colour, end / (points - 1)).toArray());
      }
    });
    this.lines.visible = positions.length > 0;
    if (!this.lines.visible) return;
    this.lines.geometry.dispose();
    this.lines.geometry = new LineSegmentsGeometry();
    this.lines.geometry.setPositions(positions);
    this.lines.geometry.setColors(colours);
  }

  hide(): void {
    this.lines.visible = false;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.material.dispose();
  }
}
