// Half-spaces as planes with a grid that fades with distance; without half-spaces, a faint grid below the
// bodies.
import {
  Color, DoubleSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector2, Vector3,
} from 'three';
import type { RunInfo } from '../contract';
import type { Frame } from '../data/frame_store';
import { readPose } from './bodies_view';
import type { Extent } from './extent';
import { kScene, type Theme } from './palette';

export interface Plane {
  normal: Vector3;
  /** The surface is normal · x = offset. */
  offset: number;
  /** True for planes of the scene, which are filled; false for an auxiliary grid. */
  solid: boolean;
}

/** Extent of received shadows in scene sizes; limited, because shadows dominate the cost. */
const kShadows = 1.8;

const kVertexShader = `
varying vec2 vPlane;
void main() {
  vPlane = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Lines one pixel wide at any distance, by screen-space derivatives; every fifth is stronger.
const kFragmentShader = `
varying vec2 vPlane;
uniform vec2 shift;
uniform float cell, radius, fill, lines;
uniform vec3 ground, ink;
float grid(vec2 p, float width) {
  vec2 d = fwidth(p);
  vec2 near = abs(fract(p - 0.5) - 0.5) / max(d, vec2(1e-9));
  float line = 1.0 - min(min(near.x, near.y) / width, 1.0);
  return line * (1.0 - smoothstep(0.15, 0.5, max(d.x, d.y)));
}
void main() {
  float far = length(vPlane) / radius;
  float fade = 1.0 - smoothstep(0.2, 1.0, far);
  vec2 p = (vPlane + shift) / cell;
  float line = max(0.4 * grid(p, 1.2), 0.85 * grid(p / 5.0, 1.5)) * lines;
  float alpha = max(fill, line) * fade;
  gl_FragColor = vec4(mix(ground, ink, line / max(max(fill, line), 1e-6) * (fill > 0.0 ? line : 1.0)), alpha);
  #include <colorspace_fragment>
}`;

/** 1, 2 or 5 times a power of ten, close to `length`. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const digit = length / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

export class Ground {
  readonly group = new Group();
  /** Grid spacing in m. */
  readonly cell: number;
  private readonly tiles: { plane: Plane; material: ShaderMaterial; mesh: Group }[] = [];
  private readonly shadows: Mesh[] = [];
  private readonly shadowMaterial = new ShadowMaterial({ transparent: true, depthWrite: false });

  constructor(info: RunInfo, first: Frame, extent: Extent, up: Vector3) {
    const size = extent.box.getSize(new Vector3()).length();
    this.cell = roundLength(size / 12);
    for (const plane of planesOf(info, first, extent, up)) this.addPlane(plane, size, info.planar);
  }

  setTheme(theme: Theme): void {
    const colours = kScene[theme];
    for (const { material } of this.tiles) {
      (material.uniforms.ground.value as Color).set(colours.ground);
      (material.uniforms.ink.value as Color).set(colours.groundLine);
    }
    this.shadowMaterial.opacity = colours.shadow;
  }

  setShadows(on: boolean): void {
    for (const mesh of this.shadows) {
      mesh.receiveShadow = on;
      mesh.visible = on;
    }
  }

  setGrid(on: boolean): void {
    for (const { material, plane, mesh } of this.tiles) {
      material.uniforms.lines.value = on ? 1 : 0;
      mesh.visible = on || plane.solid;
    }
  }

  /** The tiles move with the view target; their lines stay fixed in the world. */
  centre(target: Vector3): void {
    const period = 5 * this.cell;
    for (const { plane, material, mesh } of this.tiles) {
      const origin = target.clone().addScaledVector(plane.normal, plane.offset - target.dot(plane.normal));
      mesh.position.copy(origin);
      const inPlane = origin.clone().applyQuaternion(mesh.quaternion.clone().invert());
      (material.uniforms.shift.value as Vector2).set(inPlane.x % period, inPlane.y % period);
    }
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    for (const { material } of this.tiles) material.dispose();
    this.shadowMaterial.dispose();
  }

  private addPlane(plane: Plane, size: number, planar: boolean): void {
    const radius = size * (plane.solid ? 6 : 2.5);
    const material = new ShaderMaterial({
      vertexShader: kVertexShader,
      fragmentShader: kFragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        shift: { value: new Vector2() },
        cell: { value: this.cell },
        radius: { value: radius },
        fill: { value: plane.solid ? 1 : 0 },
        lines: { value: 1 },
        ground: { value: new Color() },
        ink: { value: new Color() },
      },
    });
    const mesh = new Group();
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), plane.normal));
    const tile = new Mesh(new PlaneGeometry(2 * radius, 2 * radius), material);
    tile.renderOrder = -2;
    mesh.add(tile);
    if (plane.solid || planar) {
      const shadow = new Mesh(new PlaneGeometry(kShadows * size, kShadows * size), this.shadowMaterial);
      shadow.renderOrder = -1;
      mesh.add(shadow);
      this.shadows.push(shadow);
    }
    this.group.add(mesh);
    this.tiles.push({ plane, material, mesh });
  }
}

function planesOf(info: RunInfo, first: Frame, extent: Extent, up: Vector3): Plane[] {
  // In planar scenes the grid is behind the bodies; half_planes.ts draws half-planes.
  if (info.planar) return [{ normal: new Vector3(0, 0, 1), offset: -extent.bodySize, solid: false }];
  const planes = halfSpacesOf(info, first);
  if (planes.length > 0) return planes;
  const lowest = extent.box.min.dot(up.clone().max(new Vector3())) + extent.box.max.dot(up.clone().min(new Vector3()));
  return [{ normal: up.clone(), offset: lowest, solid: false }];
}

/** The half-spaces of a run in world coordinates; their bodies do not move. */
export function halfSpacesOf(info: RunInfo, first: Frame): Plane[] {
  const planes: Plane[] = [];
  const position = new Vector3();
  const turn = new Quaternion();
  info.bodies.forEach((body, index) => {
    for (const shape of body.shapes) {
      if (shape.kind.replace('-', '_') !== 'half_space') continue;
      readPose(first.chunk.pose, first.row * first.chunk.bodies + index, position, turn);
      const normal = new Vector3(...(shape.normal ?? [0, 0, 1])).normalize().applyQuaternion(turn);
      planes.push({ normal, offset: (shape.offset ?? 0) + normal.dot(position), solid: true });
    }
  });
  return planes;
}
