// Bodies without shapes, for example of a linkage, are shown as small balls.
import { Box3, Quaternion, Vector3 } from 'three';
import type { RunInfo } from '../contract';
import type { Frame } from '../data/frame_store';
import { readPose } from './bodies_view';

/** The same run with a ball for each moving body without shapes. */
export function withPlaceholderShapes(info: RunInfo, first: Frame): RunInfo {
  const bare = info.bodies.map((body) => !body.fixed && body.shapes.length === 0);
  if (!bare.includes(true)) return info;
  const around = new Box3();
  const position = new Vector3();
  info.bodies.forEach((_, i) => {
    if (i === 0) return;  // the world itself is not shown
    readPose(first.chunk.pose, first.row * first.chunk.bodies + i, position, new Quaternion());
    around.expandByPoint(position);
  });
  const radius = 0.05 * around.getSize(position).length() || 0.05;
  return { ...info, bodies: info.bodies.map((body, i) => (bare[i] ? { ...body, shapes: [{ kind: 'sphere', radius }] } : body)) };
}
