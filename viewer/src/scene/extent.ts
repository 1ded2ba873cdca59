// Positions and sizes of bodies, for framing, shadows and markers.
import { Box3, Matrix4, Quaternion, Vector3 } from 'three';
import type { RunInfo } from '../contract';
import type { Frame } from '../data/frame_store';
import { localTransform, readPose } from './bodies_view';
import { makeRenderShape, type RenderShape } from './shape_geometry';

export interface Extent {
  /** Contains all moving bodies, and fixed bodies near them. */
  box: Box3;
  /** Median bounding radius of the moving shapes. */
  bodySize: number;
}

interface Part {
  body: number;
  local: Matrix4;
  shape: RenderShape;
  fixed: boolean;
}

/** Max growth of the box by fixed bodies, and by the motion. */
const kGrowth = 3;
const kMotionGrowth = 4;

/** `later` are later states in order; their positions count until they are too far away. */
export function extentOf(info: RunInfo, first: Frame, later: Frame[]): Extent {
  const parts = partsOf(info);
  const moving = parts.filter((part) => !part.fixed);
  const subject = moving.length > 0 ? moving : parts;

  let box = boxOf(subject, first);
  const limit = kMotionGrowth * sizeOf(box);
  for (const frame of later) {
    const along = box.clone().union(boxOf(moving, frame));
    if (sizeOf(along) > limit) break;  // it moves far away: the view shows the beginning
    box = along;
  }
  for (const part of parts) if (part.fixed) box = growWithin(box, box.clone().union(boxOf([part], first)), kGrowth);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));

  const radii = subject.map((part) => part.shape.boundingRadius).sort((a, b) => a - b);
  return { box, bodySize: radii[radii.length >> 1] ?? box.getSize(new Vector3()).length() / 10 };
}

function partsOf(info: RunInfo): Part[] {
  return info.bodies.flatMap((body, index) =>
    body.shapes.flatMap((shapeInfo) => {
      const shape = makeRenderShape(shapeInfo, info.planar);
      return shape ? [{ body: index, local: localTransform(shapeInfo), shape, fixed: body.fixed }] : [];
    }));
}

/**
 * Intersection of two AABBs: of the shape's bounding box and of its bounding ball, which rotation does not
 * enlarge.
 */
function boxOf(parts: Part[], frame: Frame): Box3 {
  const all = new Box3();
  const p = new Vector3();
  const q = new Quaternion();
  for (const { body, local, shape } of parts) {
    readPose(frame.chunk.pose, frame.row * frame.chunk.bodies + body, p, q);
    const transform = new Matrix4().compose(p, q, new Vector3(1, 1, 1)).multiply(local);
    const boundingRadius = new Vector3().setScalar(shape.boundingRadius);
    const origin = new Vector3().setFromMatrixPosition(transform);
    const ball = new Box3(origin.clone().sub(boundingRadius), origin.clone().add(boundingRadius));
    all.union(shape.bounds.clone().applyMatrix4(transform).intersect(ball));
  }
  return all;
}

function growWithin(box: Box3, larger: Box3, limit: number): Box3 {
  return box.isEmpty() || sizeOf(larger) <= limit * sizeOf(box) ? larger : box;
}

function sizeOf(box: Box3): number {
  return box.getSize(new Vector3()).length();
}
