import { Box3, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import type { RunInfo, ShapeInfo } from '../../src/contract';
import { decodeChunk } from '../../src/data/chunk';
import type { Frame } from '../../src/data/frame_store';
import { BodiesView } from '../../src/scene/bodies_view';
import { extentOf } from '../../src/scene/extent';
import { halfSpacesOf } from '../../src/scene/ground';
import { makeRenderShape } from '../../src/scene/shape_geometry';
import { withPlaceholderShapes } from '../../src/scene/placeholder_shapes';
import { encodeChunk, heap, rollingBalls, type FixtureRun } from '../fixture/runs';

function frameOf(run: FixtureRun, state: number): Frame {
  return { chunk: decodeChunk(encodeChunk(run, state, 1)), row: 0 };
}

function boundsOfGeometry(shape: ShapeInfo, planar = false): Box3 {
  const drawn = makeRenderShape(shape, planar)!;
  const geometry = drawn.make(48).scale(...drawn.scale);
  geometry.computeBoundingBox();
  return geometry.boundingBox!;
}

const tetrahedron = { vertices: [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], triangles: [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2] };
const shapes: [ShapeInfo, number[]][] = [
  [{ kind: 'sphere', radius: 2 }, [2, 2, 2]],
  [{ kind: 'ellipsoid', size: [1, 2, 3], margin: 0.5 }, [1.5, 2.5, 3.5]],
  [{ kind: 'box', size: [1, 2, 3] }, [0.5, 1, 1.5]],
  [{ kind: 'box', size: [1, 2, 3], margin: 0.25 }, [0.75, 1.25, 1.75]],
  [{ kind: 'capsule', radius: 0.5, length: 4 }, [0.5, 0.5, 2.5]],
  [{ kind: 'cylinder', radius: 2, height: 1 }, [2, 2, 0.5]],
  [{ kind: 'cylinder', radius: 2, height: 1, margin: 0.1 }, [2.1, 2.1, 0.6]],
  [{ kind: 'cone', radius: 2, height: 1 }, [2, 2, 0.5]],
];

describe('A shape', () => {
  it.each(shapes)('%j is drawn as large as it is', (shape, half) => {
    const drawn = boundsOfGeometry(shape);
    for (const [k, axis] of (['x', 'y', 'z'] as const).entries()) {
      expect(drawn.max[axis]).toBeCloseTo(half[k], 1);
      expect(drawn.min[axis]).toBeCloseTo(-half[k], 1);
    }
    const told = makeRenderShape(shape, false)!.bounds;
    expect(told.clone().expandByScalar(1e-6).containsBox(drawn)).toBe(true);
  });

  it.each([1e-3, 1, 100])('has the same proportions at %d m', (size) => {
    for (const margin of [0, 0.1 * size]) {
      const box = boundsOfGeometry({ kind: 'box', size: [size, size, 2 * size], margin });
      const told = boundsOfGeometry({ kind: 'hull', vertices: tetrahedron.vertices.map((v) => v * size), triangles: tetrahedron.triangles, margin });
      expect(box.max.z / size).toBeCloseTo(1 + margin / size, 2);
      expect(told.max.z / size).toBeCloseTo(3 + margin / size, 2);
    }
  });

  it('of a cone has its apex up', () => {
    const geometry = makeRenderShape({ kind: 'cone', radius: 1, height: 1 }, false)!.make(16);
    const position = geometry.getAttribute('position');
    for (let i = 0; i < position.count; ++i) {
      if (position.getZ(i) > 0.49) expect(Math.hypot(position.getX(i), position.getY(i))).toBeLessThan(1e-6);
    }
  });

  it('of a planar world lies along x, and has a thickness', () => {
    const capsule = boundsOfGeometry({ kind: 'capsule', radius: 0.5, length: 4 }, true);
    expect(capsule.max.x).toBeCloseTo(2.5, 5);
    expect(capsule.max.y).toBeCloseTo(0.5, 5);
    expect(boundsOfGeometry({ kind: 'box', size: [2, 1, 0] }, true).max.z).toBeGreaterThan(0);
    expect(boundsOfGeometry({ kind: 'hull', vertices: [0, 0, 0, 2, 0, 0, 0, 1, 0], triangles: [] }, true).max.z).toBeGreaterThan(0);
    expect(boundsOfGeometry({ kind: 'mesh', vertices: [0, 0, 0, 2, 0, 0, 4, 1, 0], triangles: [] }, true).max.x).toBeCloseTo(4, 1);
  });

  it('without end is not drawn as a body', () => {
    expect(makeRenderShape({ kind: 'half_space', normal: [0, 0, 1], offset: 0 }, false)).toBeUndefined();
  });
});

describe('Bodies', () => {
  it('of one kind share a mesh', () => {
    expect(new BodiesView(heap(1000, 2).info).group.children).toHaveLength(1);
  });

  it('are half way between two states at a blend of a half', () => {
    const run = rollingBalls(1, 3);
    const view = new BodiesView(run.info);
    const [from, to] = [frameOf(run, 0), frameOf(run, 2)];
    view.show({ state: 0, frame: from, from, to, blend: 0.5 });
    const half = run.state(1).bodies[2];
    const position = new Vector3().setFromMatrixPosition(view.bodyTransforms[2]);
    expect(position.x).toBeCloseTo(half.position[0], 6);
    const [w, , y] = half.orientation;
    expect(view.bodyTransforms[2].elements[8]).toBeCloseTo(2 * w * y, 6);  // R_xz of a rotation about y
  });

  it('without shapes are seen as small balls', () => {
    const run = rollingBalls(3, 2);
    const bare: RunInfo = { ...run.info, bodies: run.info.bodies.map((body) => ({ ...body, shapes: [] })) };
    const shown = withPlaceholderShapes(bare, frameOf(run, 0));
    expect(shown.bodies.map((body) => body.shapes.length)).toEqual([0, 0, 1, 1, 1]);
    expect(shown.bodies[2].shapes[0].radius).toBeGreaterThan(0);
    expect(withPlaceholderShapes(run.info, frameOf(run, 0))).toBe(run.info);
  });
});

describe('The extent', () => {
  const run = rollingBalls(2, 3001);

  it('holds the moving bodies and where they go, not the ground', () => {
    const { box, bodySize } = extentOf(run.info, frameOf(run, 0), [frameOf(run, 100)]);
    expect(bodySize).toBeCloseTo(0.1);
    expect(box.min.x).toBeCloseTo(-0.1, 5);
    expect(box.max.x).toBeCloseTo(0.3, 5);
    expect(box.min.z).toBeCloseTo(0, 5);
  });

  it('stops where the motion leads too far', () => {
    const { box } = extentOf(run.info, frameOf(run, 0), [frameOf(run, 100), frameOf(run, 3000)]);
    expect(box.max.x).toBeCloseTo(0.3, 5);
  });
});

describe('Half-spaces', () => {
  it('stand where their body does', () => {
    const run = rollingBalls(1, 2);
    const lifted: FixtureRun = { ...run, state: (i) => {
      const state = run.state(i);
      const half = Math.PI / 4;
      state.bodies[1] = { ...state.bodies[1], position: [5, 0, 0], orientation: [Math.cos(half), 0, Math.sin(half), 0] };
      return state;
    } };
    const [plane] = halfSpacesOf(run.info, frameOf(lifted, 0));  // z rotated to x, 5 m away
    expect(plane.normal.x).toBeCloseTo(1, 6);
    expect(plane.offset).toBeCloseTo(5, 5);
  });
});
