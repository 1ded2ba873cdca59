// Half-planes of planar scenes: a filled region below a strong edge.
import {
  BufferGeometry, Color, Float32BufferAttribute, Group, Mesh, MeshBasicMaterial, Vector3,
} from 'three';
import type { Extent } from './extent';
import type { Plane } from './ground';
import { kScene, type Theme } from './palette';

export class HalfPlanes {
  readonly group = new Group();
  private readonly fill = new MeshBasicMaterial({ transparent: true, vertexColors: true });
  private readonly edge = new MeshBasicMaterial();

  constructor(planes: Plane[], extent: Extent) {
    const size = extent.box.getSize(new Vector3()).length();
    const centre = extent.box.getCenter(new Vector3());
    for (const plane of planes) {
      const along = new Vector3(plane.normal.y, -plane.normal.x, 0);
      const surface = centre.clone().addScaledVector(plane.normal, plane.offset - centre.dot(plane.normal));
      surface.z = -0.5 * extent.bodySize;
      const far = 20 * size;
      this.group.add(new Mesh(band(surface, along, plane.normal, far, -1.2 * size), this.fill));
      const edge = new Mesh(band(surface, along, plane.normal, far, -size / 300), this.edge);
      edge.position.z = size * 1e-3;
      this.group.add(edge);
    }
  }

  setTheme(theme: Theme): void {
    this.fill.color = new Color(kScene[theme].solid);
    this.edge.color = new Color(kScene[theme].normal);
  }

  dispose(): void {
    this.group.traverse((object) => {
      if (object instanceof Mesh) object.geometry.dispose();
    });
    this.fill.dispose();
    this.edge.dispose();
  }
}

/** A band from the surface downwards, fading out. */
function band(surface: Vector3, along: Vector3, normal: Vector3, far: number, depth: number): BufferGeometry {
  const corner = (side: number, down: number) =>
    surface.clone().addScaledVector(along, side * far).addScaledVector(normal, down * depth);
  const corners = [corner(-1, 0), corner(1, 0), corner(1, 1), corner(-1, 1)];
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(corners.flatMap((c) => c.toArray()), 3));
  geometry.setAttribute('color', new Float32BufferAttribute([1, 1, 1, 0.75, 1, 1, 1, 0.75, 1, 1, 1, 0, 1, 1, 1, 0], 4));
  // Both windings, so that it is visible from the front for either direction of the normal.
  geometry.setIndex([0, 1, 2, 0, 2, 3, 2, 1, 0, 3, 2, 0]);
  return geometry;
}
