// Where bodies are and how large, for framing, shadows and markers.
import { Box3, Quaternion, Vector3 } from 'three';
import type { RunInfo } from '../contract';
import { kPoseSize } from '../data/chunk';
import type { Frame } from '../data/frame_store';
import { drawnShape } from './shape_geometry';

export interface Extent {
  /** Holds all moving bodies, and fixed ones near them. */
  box: Box3;
  /** Half of what a moving body measures, in the middle of all. */
  bodySize: number;
}

interface Ball {
  body: number;
  centre: Vector3;
  radius: number;
  fixed: boolean;
}

/** How much larger the box may get for fixed bodies, and for where the motion leads. */
const kGrowth = 3;
const kMotionGrowth = 4;

/** `later` are states further on, in their order: their places count as long as they are not too far away. */
export function extentOf(info: RunInfo, first: Frame, later: Frame[]): Extent {
  const balls = ballsOf(info);
  const moving = balls.filter((ball) => !ball.fixed);
  const subject = moving.length > 0 ? moving : balls;

  let box = boxOf(subject, first);
  const most = kMotionGrowth * sizeOf(box);
  for (const frame of later) {
    const along = box.clone().union(boxOf(moving, frame));
    if (sizeOf(along) > most) break;  // it goes far away: the view holds the beginning
    box = along;
  }
  for (const ball of balls) if (ball.fixed) box = grown(box, box.clone().union(boxOf([ball], first)), kGrowth);
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));

  const radii = subject.map((ball) => ball.radius).sort((a, b) => a - b);
  return { box, bodySize: radii[radii.length >> 1] ?? box.getSize(new Vector3()).length() / 10 };
}

function ballsOf(info: RunInfo): Ball[] {
  return info.bodies.flatMap((body, index) =>
    body.shapes.flatMap((shape) => {
      const drawn = drawnShape(shape, info.planar);
      if (!drawn) return [];
      return [{ body: index, centre: new Vector3(...(shape.position ?? [0, 0, 0])), radius: drawn.reach, fixed: body.fixed }];
    }));
}

function boxOf(balls: Ball[], frame: Frame): Box3 {
  const box = new Box3();
  const turn = new Quaternion();
  const { pose, bodies } = frame.chunk;
  for (const ball of balls) {
    const at = (frame.row * bodies + ball.body) * kPoseSize;
    turn.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
    const centre = ball.centre.clone().applyQuaternion(turn);
    centre.add(new Vector3(pose[at], pose[at + 1], pose[at + 2]));
    const reach = new Vector3().setScalar(ball.radius);
    box.union(new Box3(centre.clone().sub(reach), centre.clone().add(reach)));
  }
  return box;
}

function grown(box: Box3, larger: Box3, most: number): Box3 {
  return box.isEmpty() || sizeOf(larger) <= most * sizeOf(box) ? larger : box;
}

function sizeOf(box: Box3): number {
  return box.getSize(new Vector3()).length();
}
