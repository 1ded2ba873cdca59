// Contacts of the shown state: markers, force arrows, normals, friction cones and ellipsoids.
import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, Float32BufferAttribute, Group,
  InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, MeshLambertMaterial, Quaternion,
  SphereGeometry, Vector3, type Material,
} from 'three';
import { kContact, kContactSize } from '../data/chunk';
import type { Frame } from '../data/frame_store';
import type { CameraRig } from './camera_rig';
import { markerGeometry, paintMarker } from './contact_markers';
import { kContactColours, kScene, type Theme } from './palette';

export interface ContactOptions {
  markers: boolean;
  forces: boolean;
  normals: boolean;
  friction: boolean;
  /** Factor on the lengths of force arrows. */
  forceScale: number;
  seeThrough: boolean;
}

/**
 * Up to this number, contacts are drawn on top of bodies. If there are more, those inside a pile stay hidden.
 */
const kMaxOnTop = 300;

/** Size of a marker, from few contacts (max) to many (min). */
const kMarkerPixels = { max: 8, min: 4.5 };
/** Above this number of contacts, markers and arrows get smaller. */
const kFewContacts = 40;
/** Quantile of the first shown forces that defines the unit. */
const kUnitRank = 0.8;
const kSeparating = 0;

/** An instanced mesh that grows with the number of contacts. */
class Instances {
  mesh: InstancedMesh;
  count = 0;

  constructor(
    private readonly group: Group,
    private readonly geometry: BufferGeometry,
    private readonly material: Material,
    private readonly order: number,
    private readonly coloured: boolean,
  ) {
    this.mesh = this.make(64);
  }

  begin(atMost: number): void {
    this.count = 0;
    if (atMost <= this.mesh.instanceMatrix.count) return;
    this.group.remove(this.mesh);
    this.mesh.dispose();
    this.mesh = this.make(2 * atMost);
  }

  add(matrix: Matrix4, colour?: Color): void {
    this.mesh.setMatrixAt(this.count, matrix);
    if (colour) this.mesh.setColorAt(this.count, colour);
    ++this.count;
  }

  setDepthTest(on: boolean): void {
    this.material.depthTest = on;
  }

  end(): void {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    this.material.dispose();
    this.mesh.dispose();
  }

  private make(capacity: number): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    if (this.coloured) mesh.setColorAt(0, new Color());
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.count = 0;
    this.group.add(mesh);
    return mesh;
  }
}

export class ContactsView {
  readonly group = new Group();
  options: ContactOptions = { markers: true, forces: true, normals: false, friction: false, forceScale: 1, seeThrough: false };

  private readonly markerGeometries = [0, 1, 2].map(markerGeometry);
  private readonly markers: Instances[];
  private readonly shafts: Instances;
  private readonly heads: Instances;
  private readonly cones: Instances;
  private readonly ellipsoids: Instances;
  private readonly normals: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly colours = [new Color(), new Color(), new Color()];
  private readonly arrowMaterial = new MeshLambertMaterial({ depthTest: false, transparent: true, opacity: 0.95 });
  private frame: Frame | undefined;
  /**
   * Force in N whose arrow is `unitLength` long. Taken from the first contacts shown, so that lengths are
   * comparable.
   */
  private forceUnit = 0;
  private unitLength = 0;
  private markerPixels = kMarkerPixels.max;

  /** `maxArrowLength` is in m. */
  constructor(private readonly bodySize: number, private readonly maxArrowLength: number) {
    const flat = () => new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true, side: DoubleSide });
    this.markers = this.markerGeometries.map((geometry) => new Instances(this.group, geometry, flat(), 22, false));
    const standing = (geometry: BufferGeometry) => geometry.translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.shafts = new Instances(this.group, standing(new CylinderGeometry(1, 1, 1, 10)), this.arrowMaterial, 20, true);
    this.heads = new Instances(this.group, standing(new ConeGeometry(1, 1, 16)), this.arrowMaterial, 21, true);

    const glass = () => new MeshBasicMaterial({ transparent: true, opacity: 0.32, depthTest: false, depthWrite: false, side: DoubleSide });
    const cone = new ConeGeometry(1, 1, 40, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);  // apex at the contact
    this.cones = new Instances(this.group, cone, glass(), 18, true);
    this.ellipsoids = new Instances(this.group, new SphereGeometry(1, 24, 16), glass(), 18, true);
    this.normals = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
    this.normals.renderOrder = 19;
    this.normals.frustumCulled = false;
    this.group.add(this.normals);
  }

  setTheme(theme: Theme): void {
    kContactColours[theme].forEach((colour, state) => {
      this.colours[state].set(colour);
      paintMarker(this.markerGeometries[state], colour, kScene[theme].markerEdge);
    });
    this.normals.material.color.set(kScene[theme].normal);
  }

  show(frame: Frame): void {
    this.frame = frame;
    if (this.forceUnit === 0) {
      this.forceUnit = typicalForce(frame);
      this.unitLength = (contactsIn(frame) > kFewContacts ? 0.8 : 1.5) * this.bodySize;
    }
    this.markerPixels = Math.max(kMarkerPixels.min, kMarkerPixels.max * Math.min(1, Math.sqrt(kFewContacts / contactsIn(frame))));
  }

  /** Sizes depend on the view, so this is called before every draw. */
  draw(rig: CameraRig, viewHeight: number): void {
    if (!this.frame) return;
    const { chunk, row } = this.frame;
    const from = chunk.contactOffset[row];
    const to = chunk.contactOffset[row + 1];
    const all = [...this.markers, this.shafts, this.heads, this.cones, this.ellipsoids];
    const onTop = to - from <= kMaxOnTop || this.options.seeThrough;
    for (const each of [...this.markers, this.shafts, this.heads]) each.setDepthTest(!onTop);
    for (const each of all) each.begin(2 * (to - from));
    const lines: number[] = [];
    for (let c = from; c < to; ++c) this.drawContact(c, rig, viewHeight, lines);
    for (const each of all) each.end();
    this.normals.visible = lines.length > 0;
    if (lines.length > 0) this.normals.geometry.setAttribute('position', new Float32BufferAttribute(lines, 3));
  }

  /** The contact nearest to this point of the screen, within `within` pixels. */
  pick(rig: CameraRig, x: number, y: number, width: number, height: number, within: number): number | undefined {
    if (!this.frame || !this.options.markers) return undefined;
    const { chunk, row } = this.frame;
    const point = new Vector3();
    let nearest: number | undefined;
    let min = within;
    for (let c = chunk.contactOffset[row]; c < chunk.contactOffset[row + 1]; ++c) {
      point.fromArray(chunk.contact, c * kContactSize + kContact.point).project(rig.camera);
      if (point.z > 1) continue;
      const distance = Math.hypot(((point.x + 1) / 2) * width - x, ((1 - point.y) / 2) * height - y);
      if (distance > min) continue;
      min = distance;
      nearest = c;
    }
    return nearest;
  }

  dispose(): void {
    for (const each of [...this.markers, this.shafts, this.heads, this.cones, this.ellipsoids]) each.dispose();
    this.normals.geometry.dispose();
    this.normals.material.dispose();
  }

  private drawContact(c: number, rig: CameraRig, viewHeight: number, lines: number[]): void {
    const { chunk } = this.frame!;
    const at = c * kContactSize;
    const state = Math.min(chunk.contactState[c], 2);
    const point = new Vector3().fromArray(chunk.contact, at + kContact.point);
    const normal = new Vector3().fromArray(chunk.contact, at + kContact.normal);
    const pixel = rig.metresPerPixel(point, viewHeight);

    if (this.options.markers) {
      const size = Math.min(this.markerPixels * pixel, 0.3 * this.bodySize);
      this.markers[state].add(new Matrix4().compose(point, rig.camera.quaternion, new Vector3(size, size, size)));
    }
    if (this.options.normals) {
      const end = point.clone().addScaledVector(normal, 0.8 * this.bodySize);
      lines.push(...point.toArray(), ...end.toArray());
    }
    if (this.options.forces) this.drawForce(c, point, normal, pixel, state);
    if (this.options.friction && state !== kSeparating) this.drawFriction(c, point, normal, state);
  }

  private frameOf(c: number, normal: Vector3): { tangent: Vector3; other: Vector3 } {
    const tangent = new Vector3().fromArray(this.frame!.chunk.contact, c * kContactSize + kContact.tangent);
    return { tangent, other: new Vector3().crossVectors(normal, tangent) };
  }

  private drawForce(c: number, point: Vector3, normal: Vector3, pixel: number, state: number): void {
    const { contact } = this.frame!.chunk;
    const at = c * kContactSize + kContact.force;
    const { tangent, other } = this.frameOf(c, normal);
    const force = normal.clone().multiplyScalar(contact[at]);
    force.addScaledVector(tangent, contact[at + 1]).addScaledVector(other, contact[at + 2]);
    const size = force.length();
    if (!(size > 0) || !(this.forceUnit > 0)) return;

    // Impact forces far exceed resting forces. Arrows that would leave the view are truncated and get a
    // second head.
    const fullLength = (size / this.forceUnit) * this.options.forceScale * this.unitLength;
    const length = Math.min(fullLength, this.maxArrowLength);
    const width = Math.min(1.8 * pixel, 0.08 * this.bodySize);
    const head = Math.min(7 * width, 0.6 * length);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), force.divideScalar(size));
    const shaft = new Matrix4().compose(point, turn, new Vector3(width, width, length - 0.5 * head));
    const tip = point.clone().addScaledVector(force, length - head);
    this.shafts.add(shaft, this.colours[state]);
    const wide = new Vector3(0.38 * head, 0.38 * head, head);
    this.heads.add(new Matrix4().compose(tip, turn, wide), this.colours[state]);
    if (fullLength > length) this.heads.add(new Matrix4().compose(tip.addScaledVector(force, -0.75 * head), turn, wide), this.colours[state]);
  }

  /**
   * (p_t/e_t)² + (p_o/e_o)² + (p_r/e_r)² ≤ (μ p_n)²: a cone of forces or, with e_r, an ellipsoid whose axis
   * along n is the torque.
   */
  private drawFriction(c: number, point: Vector3, normal: Vector3, state: number): void {
    const [mu, alongT, alongO, aboutN] = this.frame!.chunk.contact.subarray(c * kContactSize + kContact.friction);
    const { tangent, other } = this.frameOf(c, normal);
    const height = 1.5 * this.bodySize;
    const basis = (t: number, o: number, n: number) => new Matrix4().makeBasis(
      tangent.clone().multiplyScalar(t), other.clone().multiplyScalar(o), normal.clone().multiplyScalar(n)).setPosition(point);
    if (aboutN > 0) {
      const scale = height / Math.max(alongT, alongO, aboutN / this.bodySize);
      this.ellipsoids.add(basis(alongT * scale * 0.5, alongO * scale * 0.5, (aboutN / this.bodySize) * scale * 0.5), this.colours[state]);
    }
    this.cones.add(basis(mu * alongT * height, mu * alongO * height, height), this.colours[state]);
  }
}

function contactsIn({ chunk, row }: Frame): number {
  return chunk.contactOffset[row + 1] - chunk.contactOffset[row];
}

function typicalForce(frame: Frame): number {
  const { chunk } = frame;
  const sizes: number[] = [];
  for (let c = 0; c < chunk.contactState.length; ++c) {
    const at = c * kContactSize + kContact.force;
    const size = Math.hypot(chunk.contact[at], chunk.contact[at + 1], chunk.contact[at + 2]);
    if (size > 0) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(kUnitRank * (sizes.length - 1))] ?? 0;
}
