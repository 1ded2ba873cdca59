// Flat markers that face the camera: ring for separating, triangle for sliding, square for sticking, each
// with an edge.
import { BufferGeometry, Color, Float32BufferAttribute, Path, Shape, ShapeGeometry } from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';

/** Marker of a contact state; the edge's vertices come first, then those of the face. */
export function markerGeometry(state: number): BufferGeometry {
  const edge = new ShapeGeometry(outline(state, 1.3), 20);
  const face = new ShapeGeometry(outline(state, 1), 20);
  const edgeVertices = edge.getAttribute('position').count;
  const geometry = mergeGeometries([edge, face.translate(0, 0, 1e-3)])!;
  geometry.userData.edgeVertices = edgeVertices;
  return geometry;
}

export function paintMarker(geometry: BufferGeometry, face: string, edge: string): void {
  const count = geometry.getAttribute('position').count;
  const colours: number[] = [];
  for (let i = 0; i < count; ++i) {
    colours.push(...new Color(i < geometry.userData.edgeVertices ? edge : face).toArray());
  }
  geometry.setAttribute('color', new Float32BufferAttribute(colours, 3));
}

function outline(state: number, size: number): Shape {
  const shape = new Shape();
  if (state === 0) {
    shape.absarc(0, 0, 0.72 * size, 0, 2 * Math.PI);
    shape.holes.push(new Path().absarc(0, 0, 0.72 * (1 - 1.2 * (size - 1)) * 0.55, 0, 2 * Math.PI, true));
  } else if (state === 1) {
    const scale = 1 + 1.7 * (size - 1);  // the edge of a triangle needs more room at its corners
    shape.moveTo(0, 0.9 * scale).lineTo(-0.85 * scale, -0.55 * scale).lineTo(0.85 * scale, -0.55 * scale);
  } else {
    const half = 0.62 * size;
    shape.moveTo(-half, -half).lineTo(half, -half).lineTo(half, half).lineTo(-half, half);
  }
  shape.closePath();
  return shape;
}
