// The scene of one run on its own canvas: bodies, ground, contacts, trails, light and camera.
import {
  BackSide, DirectionalLight, DoubleSide, HemisphereLight, Mesh, MeshBasicMaterial, Raycaster, RingGeometry, Scene,
  Vector2, Vector3, WebGLRenderer, type Box3,
} from 'three';
import type { RunInfo } from '../contract';
import { kContact, kContactSize } from '../data/chunk';
import type { Frame, FrameStore } from '../data/frame_store';
import type { ShownFrame } from '../play/shown_frame';
import type { Quality } from '../quality';
import { BodiesView } from './bodies_view';
import { CameraRig } from './camera_rig';
import { ContactsView, type ContactOptions } from './contacts_view';
import { extentOf, type Extent } from './extent';
import { Ground, halfSpacesOf } from './ground';
import { HalfPlanes } from './half_planes';
import { Labels } from './labels';
import { kScene, type Theme } from './palette';
import { Trails } from './trails';

export interface StageOptions extends ContactOptions {
  trails: boolean;
  names: boolean;
  grid: boolean;
}

export type Picked = { body: number } | { contact: number } | undefined;

/** Trails of more bodies would be unreadable. */
const kMaxTrails = 24;
const kTrailStates = 400;
const kMaxLabels = 60;

export class Stage {
  readonly element = document.createElement('div');
  readonly rig: CameraRig;
  readonly bodies: BodiesView;

  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly extent: Extent;
  private readonly up: Vector3;
  private readonly ground: Ground;
  private readonly halfPlanes: HalfPlanes | undefined;
  private readonly contacts: ContactsView;
  private readonly trails = new Trails();
  private readonly labels: Labels;
  private readonly sky = new HemisphereLight();
  private readonly sun = new DirectionalLight('#fffaf0', 2.1);
  private readonly outline: Mesh[] = [];
  private readonly outlineMaterial = new MeshBasicMaterial({ side: BackSide });
  private readonly ring = new Mesh(
    new RingGeometry(1.7, 2.15, 32), new MeshBasicMaterial({ depthTest: false, transparent: true, side: DoubleSide }));
  private options: StageOptions | undefined;
  private quality: Quality | undefined;
  private theme: Theme = 'light';
  private shown: ShownFrame | undefined;
  private pickedBody: number | undefined;
  private pickedContact: number | undefined;
  private size = new Vector2(1, 1);

  /** `smooth` enables antialiasing, which cannot be changed later. */
  constructor(private readonly info: RunInfo, private readonly store: FrameStore, first: Frame, later: Frame[], smooth: boolean) {
    this.renderer = new WebGLRenderer({ antialias: smooth, alpha: true });
    this.element.className = 'stage';
    this.element.append(this.renderer.domElement);
    this.labels = new Labels(this.element);

    this.extent = extentOf(info, first, later);
    this.up = upOf(info);
    this.rig = new CameraRig(this.renderer.domElement, info.planar, this.up);
    this.bodies = new BodiesView(info);
    this.ground = new Ground(info, first, this.extent, this.up);
    if (info.planar) this.halfPlanes = new HalfPlanes(halfSpacesOf(info, first), this.extent);
    this.contacts = new ContactsView(this.extent.bodySize, 0.4 * this.extent.box.getSize(new Vector3()).length());

    this.sun.shadow.bias = -5e-4;
    this.sun.shadow.radius = 3;
    this.ring.renderOrder = 23;
    this.ring.visible = false;
    this.scene.add(this.sky, this.sun, this.sun.target, this.bodies.group, this.ground.group, this.contacts.group);
    this.scene.add(this.trails.lines, this.ring);
    if (this.halfPlanes) this.scene.add(this.halfPlanes.group);
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  get drawCalls(): number {
    return this.renderer.info.render.calls;
  }

  /** Contains all moving bodies. */
  get box(): Box3 {
    return this.extent.box;
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const colours = kScene[theme];
    this.sky.color.set(colours.sky);
    this.sky.groundColor.set(colours.bounce);
    this.sky.intensity = theme === 'light' ? 1.55 : 1.2;
    this.sun.intensity = theme === 'light' ? 1.9 : 2.0;
    this.outlineMaterial.color.set(colours.accent);
    (this.ring.material as MeshBasicMaterial).color.set(colours.accent);
    this.bodies.setTheme(theme);
    this.ground.setTheme(theme);
    this.halfPlanes?.setTheme(theme);
    this.contacts.setTheme(theme);
  }

  setOptions(options: StageOptions): void {
    this.options = options;
    this.contacts.options = options;
    this.bodies.setSeeThrough(options.seeThrough);
    this.ground.setGrid(options.grid);
  }

  setQuality(quality: Quality): void {
    if (quality === this.quality) return;
    const detailChanged = quality.detail !== this.quality?.detail;
    this.quality = quality;
    const shadows = quality.shadowMap > 0;
    this.renderer.shadowMap.enabled = shadows;
    this.sun.castShadow = shadows;
    if (shadows) {
      this.sun.shadow.mapSize.set(quality.shadowMap, quality.shadowMap);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
    }
    this.bodies.setShadows(shadows);
    this.ground.setShadows(shadows);
    if (detailChanged) this.bodies.setDetail(quality.detail, quality.gloss);
    this.pickBody(this.pickedBody);
    this.resize();
  }

  resize(): void {
    const width = Math.max(1, this.element.clientWidth);
    const height = Math.max(1, this.element.clientHeight);
    this.size.set(width, height);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, this.quality?.pixelRatio ?? 1));
    this.renderer.setSize(width, height);
    this.rig.resize(width, height);
    this.trails.resize(width, height);
  }

  /** `following` is the body that the camera follows. */
  show(shown: ShownFrame, following: number | undefined): void {
    const before = following === undefined ? undefined : this.place(following);
    this.shown = shown;
    this.bodies.show(shown);
    this.contacts.show(shown.frame);
    if (before && following !== undefined) this.rig.shift(this.place(following).sub(before));
  }

  /** Looks at the body from the present direction. */
  lookAt(body: number): void {
    this.rig.shift(this.place(body).sub(this.rig.target));
  }

  pickBody(body: number | undefined): void {
    this.pickedBody = body;
    for (const mesh of this.outline) this.scene.remove(mesh);
    this.outline.length = 0;
    if (body === undefined) return;
    for (const { geometry, local } of this.bodies.partsOf(body)) {
      const mesh = new Mesh(geometry, this.outlineMaterial);
      mesh.matrixAutoUpdate = false;
      mesh.userData.local = local;
      this.outline.push(mesh);
      this.scene.add(mesh);
    }
  }

  /** Selects a contact by its index in the shown chunk. */
  pickContact(contact: number | undefined): void {
    this.pickedContact = contact;
  }

  /** The object at this point of the canvas. */
  pickAt(x: number, y: number): Picked {
    const contact = this.contacts.pick(this.rig, x, y, this.size.x, this.size.y, 11);
    if (contact !== undefined) return { contact };
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((x / this.size.x) * 2 - 1, 1 - (y / this.size.y) * 2), this.rig.camera);
    const hit = this.bodies.pick(ray);
    return hit && { body: hit.body };
  }

  draw(): void {
    if (!this.shown || !this.options || !this.quality) return;
    this.placeLight();
    this.ground.centre(this.rig.target);
    this.contacts.draw(this.rig, this.size.y);
    this.drawTrails();
    this.drawPicked();
    this.renderer.render(this.scene, this.rig.camera);
    this.drawLabels();
  }

  /** Position of a body on the canvas. */
  screenOf(body: number): { x: number; y: number } {
    return this.project(this.place(body));
  }

  screenOfContact(contact: number): { x: number; y: number } {
    return this.project(this.contactPoint(contact));
  }

  dispose(): void {
    this.bodies.dispose();
    this.ground.dispose();
    this.halfPlanes?.dispose();
    this.contacts.dispose();
    this.trails.dispose();
    this.rig.controls.dispose();
    this.renderer.dispose();
    this.element.remove();
  }

  private place(body: number): Vector3 {
    return new Vector3().setFromMatrixPosition(this.bodies.bodyTransforms[body]);
  }

  private contactPoint(contact: number): Vector3 {
    return new Vector3().fromArray(this.shown!.frame.chunk.contact, contact * kContactSize + kContact.point);
  }

  private project(point: Vector3): { x: number; y: number } {
    const p = point.project(this.rig.camera);
    return { x: ((p.x + 1) / 2) * this.size.x, y: ((1 - p.y) / 2) * this.size.y };
  }

  /** The sun shines from the upper left; its shadow map covers the framed region. */
  private placeLight(): void {
    const radius = Math.max(0.62 * this.extent.box.getSize(new Vector3()).length(), 2 * this.extent.bodySize);
    const target = this.info.planar ? this.extent.box.getCenter(new Vector3()) : this.rig.target;
    const view = this.rig.camera.position.clone().sub(this.rig.target);
    view.addScaledVector(this.up, -view.dot(this.up)).normalize();
    const left = new Vector3().crossVectors(view, this.up);
    const from = this.info.planar
      ? new Vector3(-0.3, 0.5, 1.6)
      : this.up.clone().multiplyScalar(1.25).addScaledVector(left, 0.6).addScaledVector(view, 0.35);
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).addScaledVector(from.normalize(), 3 * radius);
    this.sky.position.copy(this.up);
    const { camera } = this.sun.shadow;
    // Three pixels of the map, to avoid stripes on round bodies.
    this.sun.shadow.normalBias = (6 * radius) / this.sun.shadow.mapSize.x;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = radius;
    camera.far = 6 * radius;
    camera.updateProjectionMatrix();
  }

  private drawTrails(): void {
    const moving = this.info.bodies.flatMap((body, i) => (body.fixed ? [] : [i]));
    const drawn = moving.length <= kMaxTrails ? moving : this.pickedBody === undefined ? [] : [this.pickedBody];
    if (!this.options!.trails || !this.quality!.decorations || drawn.length === 0) {
      this.trails.hide();
      return;
    }
    const fade = kScene[this.theme].ground;
    this.trails.show(this.store, this.shown!.state, kTrailStates, drawn, (body) => this.bodies.colourOf(body), fade);
  }

  private drawPicked(): void {
    for (const mesh of this.outline) {
      mesh.matrix.multiplyMatrices(this.bodies.bodyTransforms[this.pickedBody!], mesh.userData.local);
      mesh.matrix.scale(new Vector3(1.05, 1.05, 1.05));
    }
    this.ring.visible = this.pickedContact !== undefined;
    if (this.pickedContact === undefined) return;
    this.ring.position.copy(this.contactPoint(this.pickedContact));
    this.ring.quaternion.copy(this.rig.camera.quaternion);
    this.ring.scale.setScalar(8 * this.rig.metresPerPixel(this.ring.position, this.size.y));
  }

  private drawLabels(): void {
    const all = this.options!.names && this.quality!.decorations;
    const bodies = this.info.bodies.flatMap((body, i) => (i === this.pickedBody || (all && !body.fixed) ? [i] : []));
    const above = this.up.clone().multiplyScalar(1.3 * this.extent.bodySize);
    this.labels.show(bodies.slice(0, kMaxLabels).map((body) => (
      { text: this.info.bodies[body].name, ...this.project(this.place(body).add(above)) })));
  }
}

/** Opposite to gravity, or z without gravity. */
function upOf(info: RunInfo): Vector3 {
  if (info.planar) return new Vector3(0, 1, 0);
  const up = new Vector3(...info.gravity).negate();
  return up.lengthSq() > 0 ? up.normalize() : new Vector3(0, 0, 1);
}

