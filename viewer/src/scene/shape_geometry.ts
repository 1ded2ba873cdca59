// Geometries of shapes, of unit size where scaling gives the shape, so that many shapes share one geometry.
import {
  Box3, BoxGeometry, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, ExtrudeGeometry, Float32BufferAttribute,
  IcosahedronGeometry, Shape, SphereGeometry, Vector2, Vector3,
} from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { mergeVertices, toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { ShapeInfo, Vec3 } from '../contract';

export interface RenderShape {
  /** Shapes with the same key share their geometry and differ by scale. */
  key: string;
  scale: Vec3;
  /** `segments` around a round shape; a multiple of 4. */
  make(segments: number): BufferGeometry;
  /** Radius of the smallest ball around the shape's origin. */
  boundingRadius: number;
  /** In the frame of the shape. */
  bounds: Box3;
}

type Parity = (x: number, y: number, z: number) => number;
const octants: Parity = (x, y, z) => x * y * z;
const quadrants: Parity = (x, y) => x * y;
const kDarker = 0.78;

/** undefined for unbounded shapes: half-spaces are drawn as ground. */
export function makeRenderShape(shape: ShapeInfo, planar: boolean): RenderShape | undefined {
  const kind = shape.kind.replace('-', '_');
  const margin = shape.margin ?? 0;
  const radius = shape.radius ?? 0;
  const height = shape.height ?? 0;
  const size = thickenPlanarSize(shape.size ?? [0, 0, 0], kind, planar);
  switch (kind) {
    case 'half_space':
      return undefined;
    case 'sphere':
      return ball([radius, radius, radius]);
    case 'ellipsoid':
      return ball([size[0] + margin, size[1] + margin, size[2] + margin]);
    case 'capsule':
      return capsule(radius, shape.length ?? 0, planar);
    case 'box':
      if (margin > 0) return roundedHull(cornersOf(size), margin);
      return {
        key: 'box', scale: size, boundingRadius: Math.hypot(...size) / 2, bounds: centredBox(size[0] / 2, size[1] / 2, size[2] / 2),
        make: () => withVertexColours(new BoxGeometry(1, 1, 1)),
      };
    case 'cylinder':
      if (margin > 0) return roundedHull(rings([[radius, -height / 2], [radius, height / 2]]), margin);
      return {
        key: 'cylinder', scale: [radius, radius, height], boundingRadius: Math.hypot(radius, height / 2), bounds: centredBox(radius, radius, height / 2),
        make: (segments) => withVertexColours(new CylinderGeometry(1, 1, 1, segments).rotateX(Math.PI / 2), quadrants),
      };
    case 'cone':
      if (margin > 0) return roundedHull(rings([[radius, -height / 2], [0, height / 2]]), margin);
      return {
        key: 'cone', scale: [radius, radius, height], boundingRadius: Math.hypot(radius, height / 2), bounds: centredBox(radius, radius, height / 2),
        make: (segments) => withVertexColours(new ConeGeometry(1, 1, segments).rotateX(Math.PI / 2), quadrants),
      };
    default:
      return vertexShape(shape, planar, margin);
  }
}

/** Planar boxes and ellipses have no thickness; they get one for shading. */
function thickenPlanarSize(size: Vec3, kind: string, planar: boolean): Vec3 {
  if (!planar || size[2] > 0) return size;
  const least = Math.min(size[0], size[1]);
  return [size[0], size[1], kind === 'box' ? least / 2 : least];
}

function centredBox(x: number, y: number, z: number): Box3 {
  return new Box3(new Vector3(-x, -y, -z), new Vector3(x, y, z));
}

function ball(semiAxes: Vec3): RenderShape {
  return {
    key: 'ball', scale: semiAxes, boundingRadius: Math.max(...semiAxes), bounds: centredBox(...semiAxes),
    make: (segments) => withVertexColours(new SphereGeometry(1, segments, segments / 2).rotateX(Math.PI / 2), octants),
  };
}

/** Along z, or along x if planar. Scaling would distort it, so each aspect ratio has its own geometry. */
function capsule(radius: number, length: number, planar: boolean): RenderShape {
  const ratio = length / radius;
  const boundingRadius = radius + length / 2;
  return {
    key: `capsule ${ratio}`, scale: [radius, radius, radius], boundingRadius,
    bounds: planar ? centredBox(boundingRadius, radius, radius) : centredBox(radius, radius, boundingRadius),
    make: (segments) => {
      // Split in the middle, where the pattern changes.
      const geometry = new CapsuleGeometry(1, ratio, segments / 4, segments, 2);
      if (planar) return withVertexColours(geometry.rotateZ(-Math.PI / 2), (x, y) => x * y);
      return withVertexColours(geometry.rotateX(Math.PI / 2), octants);
    },
  };
}

function cornersOf(size: Vec3): Vector3[] {
  const corners: Vector3[] = [];
  for (const x of [-0.5, 0.5]) for (const y of [-0.5, 0.5]) for (const z of [-0.5, 0.5]) {
    corners.push(new Vector3(x * size[0], y * size[1], z * size[2]));
  }
  return corners;
}

function rings(profile: [number, number][]): Vector3[] {
  const points: Vector3[] = [];
  for (const [radius, z] of profile) {
    for (let i = 0; i < 32; ++i) {
      const angle = (i / 32) * 2 * Math.PI;
      points.push(new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), z));
    }
  }
  return points;
}

/** The hull of the points, grown by the rounding radius: the hull of balls around the points. */
function roundedHull(points: Vector3[], margin: number): RenderShape {
  const boundingRadius = Math.max(...points.map((p) => p.length())) + margin;
  return {
    key: `roundedHull ${margin} ${points.map((p) => p.toArray().join()).join(' ')}`, scale: [1, 1, 1], boundingRadius,
    bounds: new Box3().setFromPoints(points).expandByScalar(margin),
    make: () => withVertexColours(toCreasedNormals(new ConvexGeometry(balls(points, margin)), 0.5)),
  };
}

function balls(points: Vector3[], radius: number): Vector3[] {
  if (!(radius > 0)) return points;
  const detail = points.length > 60 ? 1 : 2;
  const corners = new IcosahedronGeometry(radius, detail).getAttribute('position');
  const grown: Vector3[] = [];
  for (const point of points) {
    for (let i = 0; i < corners.count; ++i) grown.push(new Vector3().fromBufferAttribute(corners, i).add(point));
  }
  return grown;
}

/** Hulls, meshes and height fields, and planar polygons and polylines. */
function vertexShape(shape: ShapeInfo, planar: boolean, margin: number): RenderShape | undefined {
  const vertices = shape.vertices ?? [];
  const points = pointsOf(vertices);
  if (points.length < 2) return undefined;
  const triangles = shape.triangles ?? [];
  const hull = shape.kind === 'hull';
  const flat = planar || triangles.length === 0;
  if (hull && margin > 0) return roundedHull(flat ? extrudePoints(points) : points, margin);

  const make = (): BufferGeometry => {
    if (triangles.length > 0) return withVertexColours(triangleGeometry(vertices, triangles, hull ? 0.1 : 0.6));
    return withVertexColours(hull ? polygon(points) : polyline(points));
  };
  const boundingRadius = Math.max(...points.map((p) => p.length()));
  const bounds = new Box3().setFromPoints(points);
  return { key: `${shape.kind} ${vertices.join()} ${triangles.join()}`, scale: [1, 1, 1], make, boundingRadius, bounds };
}

function pointsOf(vertices: number[]): Vector3[] {
  const points: Vector3[] = [];
  for (let i = 0; i + 2 < vertices.length; i += 3) points.push(new Vector3(vertices[i], vertices[i + 1], vertices[i + 2]));
  return points;
}

function triangleGeometry(vertices: number[], triangles: number[], crease: number): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(vertices, 3));
  geometry.setIndex(triangles);
  return toCreasedNormals(geometry, crease);
}

function extentOf(points: Vector3[]): number {
  const least = new Vector3().copy(points[0]);
  const greatest = least.clone();
  for (const p of points) {
    least.min(p);
    greatest.max(p);
  }
  return greatest.sub(least).length();
}

function extrudePoints(points: Vector3[]): Vector3[] {
  const half = extentOf(points) / 10;
  return points.flatMap((p) => [new Vector3(p.x, p.y, -half), new Vector3(p.x, p.y, half)]);
}

function polygon(points: Vector3[]): BufferGeometry {
  const depth = extentOf(points) / 5;
  const outline = new Shape(points.map((p) => new Vector2(p.x, p.y)));
  return new ExtrudeGeometry(outline, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2);
}

/** A band along the line on the side of the solid, to the right of the direction of travel. */
function polyline(points: Vector3[]): BufferGeometry {
  const width = extentOf(points) / 40;
  const position: number[] = [];
  for (let i = 0; i + 1 < points.length; ++i) {
    const p = points[i];
    const q = points[i + 1];
    const along = new Vector3().subVectors(q, p).normalize();
    const right = new Vector3(along.y, -along.x, 0).multiplyScalar(width);
    const below = [new Vector3().addVectors(p, right), new Vector3().addVectors(q, right)];
    for (const corner of [p, below[0], below[1], p, below[1], q]) position.push(corner.x, corner.y, corner.z);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(position, 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** White, and darker where `parity` is negative: the pattern makes the rotation of round bodies visible. */
function withVertexColours(geometry: BufferGeometry, parity?: Parity): BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const position = flat.getAttribute('position');
  const colour = new Float32Array(position.count * 3);
  const centre = new Vector3();
  const corner = new Vector3();
  for (let first = 0; first < position.count; first += 3) {
    centre.set(0, 0, 0);
    for (let k = 0; k < 3; ++k) centre.add(corner.fromBufferAttribute(position, first + k));
    const value = parity && parity(centre.x, centre.y, centre.z) < 0 ? kDarker : 1;
    colour.fill(value, first * 3, first * 3 + 9);
  }
  flat.setAttribute('color', new Float32BufferAttribute(colour, 3));
  flat.deleteAttribute('uv');
  return mergeVertices(flat);  // vertex processing dominates the cost of many small bodies
}
