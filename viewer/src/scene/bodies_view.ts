// The bodies: one instanced mesh per kind of shape.
import {
  Color, Group, InstancedMesh, Matrix4, MeshLambertMaterial, MeshStandardMaterial, Quaternion, Vector3, type Intersection, type Raycaster,
} from 'three';
import type { RunInfo, ShapeInfo } from '../contract';
import { kPoseSize } from '../data/chunk';
import type { ShownFrame } from '../play/shown_frame';
import { bodyColour, kScene, type Theme } from './palette';
import { makeRenderShape, type RenderShape } from './shape_geometry';

interface Instance {
  body: number;
  /** Transform of the shape in its body, including scale. */
  local: Matrix4;
}

interface Kind {
  shape: RenderShape;
  mesh: InstancedMesh;
  instances: Instance[];
}

export class BodiesView {
  readonly group = new Group();
  /** Present transform of each body. */
  readonly bodyTransforms: Matrix4[];

  private readonly kinds: Kind[] = [];
  private readonly glossy = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.02, vertexColors: true });
  private readonly plain = new MeshLambertMaterial({ vertexColors: true });
  private readonly movingIndex = new Map<number, number>();
  private theme: Theme = 'light';

  constructor(private readonly info: RunInfo) {
    this.bodyTransforms = info.bodies.map(() => new Matrix4());
    info.bodies.forEach((body, index) => {
      if (!body.fixed) this.movingIndex.set(index, this.movingIndex.size);
    });
    for (const [, instances] of this.sharedShapes()) this.addKind(instances);
  }

  /** Colour of a body, also used for its labels and lines. */
  colourOf(body: number): string {
    const index = this.movingIndex.get(body);
    return index === undefined ? kScene[this.theme].solid : bodyColour(index);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const colour = new Color();
    for (const { mesh, instances } of this.kinds) {
      instances.forEach(({ body }, i) => mesh.setColorAt(i, colour.set(this.colourOf(body))));
      mesh.instanceColor!.needsUpdate = true;
    }
  }

  setSeeThrough(on: boolean): void {
    for (const material of [this.glossy, this.plain]) {
      material.transparent = on;
      material.opacity = on ? 0.3 : 1;
      material.depthWrite = !on;
      material.needsUpdate = true;
    }
  }

  setShadows(on: boolean): void {
    for (const { mesh } of this.kinds) mesh.castShadow = mesh.receiveShadow = on;
  }

  /** `detail` is from 0 to 1; shading is cheaper without gloss. */
  setDetail(detail: number, gloss: boolean): void {
    for (const { shape, mesh, instances } of this.kinds) {
      mesh.material = gloss ? this.glossy : this.plain;
      mesh.geometry.dispose();
      mesh.geometry = shape.make(segmentsFor(instances.length, detail));
    }
  }

  show(shown: ShownFrame): void {
    const p = new Vector3();
    const q = new Quaternion();
    const p2 = new Vector3();
    const q2 = new Quaternion();
    const unit = new Vector3(1, 1, 1);
    for (let body = 0; body < this.bodyTransforms.length; ++body) {
      readPose(shown.from.chunk.pose, shown.from.row * shown.from.chunk.bodies + body, p, q);
      if (shown.blend > 0) {
        readPose(shown.to.chunk.pose, shown.to.row * shown.to.chunk.bodies + body, p2, q2);
        p.lerp(p2, shown.blend);
        q.slerp(q2, shown.blend);
      }
      this.bodyTransforms[body].compose(p, q, unit);
    }
    const matrix = new Matrix4();
    for (const { mesh, instances } of this.kinds) {
      instances.forEach(({ body, local }, i) => {
        mesh.setMatrixAt(i, matrix.multiplyMatrices(this.bodyTransforms[body], local));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;  // the ray caster recomputes it
    }
  }

  /** The first body hit by the ray. */
  pick(ray: Raycaster): { body: number; distance: number } | undefined {
    let nearest: { body: number; distance: number } | undefined;
    for (const { mesh, instances } of this.kinds) {
      const hits: Intersection[] = [];
      mesh.raycast(ray, hits);
      for (const hit of hits) {
        if (nearest && hit.distance >= nearest.distance) continue;
        nearest = { body: instances[hit.instanceId!].body, distance: hit.distance };
      }
    }
    return nearest;
  }

  /** The geometries of a body and their transforms, for its outline. */
  partsOf(body: number): { geometry: InstancedMesh['geometry']; local: Matrix4 }[] {
    return this.kinds.flatMap(({ mesh, instances }) =>
      instances.filter((i) => i.body === body).map(({ local }) => ({ geometry: mesh.geometry, local })));
  }

  dispose(): void {
    for (const { mesh } of this.kinds) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.glossy.dispose();
    this.plain.dispose();
  }

  private sharedShapes(): Map<string, { shape: RenderShape; instance: Instance }[]> {
    const shared = new Map<string, { shape: RenderShape; instance: Instance }[]>();
    this.info.bodies.forEach((bodyInfo, body) => {
      for (const shapeInfo of bodyInfo.shapes) {
        const shape = makeRenderShape(shapeInfo, this.info.planar);
        if (!shape) continue;
        const entry = { shape, instance: { body, local: localTransform(shapeInfo).scale(new Vector3(...shape.scale)) } };
        const list = shared.get(shape.key);
        if (list) list.push(entry);
        else shared.set(shape.key, [entry]);
      }
    });
    return shared;
  }

  private addKind(entries: { shape: RenderShape; instance: Instance }[]): void {
    const { shape } = entries[0];
    const mesh = new InstancedMesh(shape.make(segmentsFor(entries.length, 1)), this.glossy, entries.length);
    mesh.frustumCulled = false;
    this.kinds.push({ shape, mesh, instances: entries.map((entry) => entry.instance) });
    this.group.add(mesh);
  }
}

export function readPose(pose: Float32Array, index: number, p: Vector3, q: Quaternion): void {
  const at = index * kPoseSize;
  p.set(pose[at], pose[at + 1], pose[at + 2]);
  q.set(pose[at + 4], pose[at + 5], pose[at + 6], pose[at + 3]);
}

/** Transform of a shape in its body. */
export function localTransform(shape: ShapeInfo): Matrix4 {
  const [w, x, y, z] = shape.orientation ?? [1, 0, 0, 0];
  return new Matrix4().compose(new Vector3(...(shape.position ?? [0, 0, 0])), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
}

/**
 * Fewer segments for many instances; always a multiple of 8, so that the pattern of round shapes is not cut.
 */
function segmentsFor(instances: number, detail: number): number {
  const maxSegments = instances > 300 ? 24 : instances > 60 ? 32 : 48;
  return Math.max(16, 8 * Math.round((maxSegments * detail) / 8));
}
