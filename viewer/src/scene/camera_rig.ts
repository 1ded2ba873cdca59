// The camera: frames a box, orbits, follows. Planar scenes use an orthographic view from the front.
import { OrthographicCamera, PerspectiveCamera, Quaternion, Vector3, type Box3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const kFieldOfView = 32;  // degrees
/** Fraction of the view that a framed box may fill. */
const kFill = 0.86;

export class CameraRig {
  readonly camera: PerspectiveCamera | OrthographicCamera;
  readonly controls: OrbitControls;
  onChange: () => void = () => {};
  private aspect = 1;
  private quiet = false;

  constructor(
    element: HTMLElement,
    private readonly planar: boolean,
    private readonly up: Vector3,
  ) {
    this.camera = planar ? new OrthographicCamera() : new PerspectiveCamera(kFieldOfView);
    this.camera.up.copy(planar ? new Vector3(0, 1, 0) : up);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableRotate = !planar;
    this.controls.screenSpacePanning = true;
    if (planar) this.controls.mouseButtons.LEFT = this.controls.mouseButtons.RIGHT;
    this.controls.addEventListener('change', () => {
      if (!this.quiet) this.onChange();
    });
  }

  get target(): Vector3 {
    return this.controls.target;
  }

  resize(width: number, height: number): void {
    this.aspect = width / Math.max(height, 1);
    if (this.camera instanceof PerspectiveCamera) this.camera.aspect = this.aspect;
    else {
      const half = (this.camera.top - this.camera.bottom) / 2;
      this.camera.left = -half * this.aspect;
      this.camera.right = half * this.aspect;
    }
    this.camera.updateProjectionMatrix();
  }

  frame(box: Box3): void {
    const centre = box.getCenter(new Vector3());
    const half = box.getSize(new Vector3()).multiplyScalar(0.5);
    const direction = this.planar ? new Vector3(0, 0, 1) : viewDirection(half, this.up);
    this.target.copy(centre);
    if (this.camera instanceof OrthographicCamera) this.frameOrthographic(this.camera, half, centre);
    else this.camera.position.copy(centre).addScaledVector(direction, this.distanceFor(half, direction));
    this.update();
  }

  /** Moves with the followed body. */
  shift(by: Vector3): void {
    this.camera.position.add(by);
    this.target.add(by);
    this.update();
  }

  /** Copies the view of another rig, for runs side by side. */
  copy(other: CameraRig): void {
    this.camera.position.copy(other.camera.position);
    this.target.copy(other.target);
    this.camera.zoom = other.camera.zoom;
    if (this.camera instanceof OrthographicCamera && other.camera instanceof OrthographicCamera) {
      this.camera.top = other.camera.top;
      this.camera.bottom = other.camera.bottom;
      this.camera.left = this.camera.bottom * this.aspect;
      this.camera.right = this.camera.top * this.aspect;
    }
    this.update();
  }

  /** Metres per pixel at this point, for a view of `height` pixels. */
  metresPerPixel(point: Vector3, height: number): number {
    if (this.camera instanceof OrthographicCamera) {
      return (this.camera.top - this.camera.bottom) / this.camera.zoom / height;
    }
    const depth = this.camera.position.distanceTo(point);
    return (2 * depth * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
  }

  private update(): void {
    const distance = this.camera.position.distanceTo(this.target);
    this.camera.near = distance / 200;
    this.camera.far = distance * 50;
    this.camera.updateProjectionMatrix();
    this.quiet = true;
    this.controls.update();
    this.quiet = false;
  }

  private frameOrthographic(camera: OrthographicCamera, half: Vector3, centre: Vector3): void {
    const halfHeight = Math.max(half.y, half.x / this.aspect) / kFill;
    camera.top = halfHeight;
    camera.bottom = -halfHeight;
    camera.left = -halfHeight * this.aspect;
    camera.right = halfHeight * this.aspect;
    camera.zoom = 1;
    camera.position.copy(centre).add(new Vector3(0, 0, 10 * half.length()));
  }

  /** The min distance from which all corners of the box are in view. */
  private distanceFor(half: Vector3, direction: Vector3): number {
    const tanVertical = Math.tan((kFieldOfView * Math.PI) / 360) * kFill;
    const tanHorizontal = tanVertical * this.aspect;
    const right = new Vector3().crossVectors(this.up, direction).normalize();
    const top = new Vector3().crossVectors(direction, right);
    let distance = 0;
    for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) {
      const corner = new Vector3(x * half.x, y * half.y, z * half.z);
      const across = Math.max(Math.abs(corner.dot(right)) / tanHorizontal, Math.abs(corner.dot(top)) / tanVertical);
      distance = Math.max(distance, across + corner.dot(direction));
    }
    return distance;
  }
}

/** Towards the side of the longest extent, slightly from the right and from above. */
function viewDirection(half: Vector3, up: Vector3): Vector3 {
  const upright = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
  const alongX = new Vector3(1, 0, 0).applyQuaternion(upright);
  const alongY = new Vector3(0, 1, 0).applyQuaternion(upright);
  const extentAlong = (v: Vector3) => Math.abs(v.x) * half.x + Math.abs(v.y) * half.y + Math.abs(v.z) * half.z;
  const azimuth = extentAlong(alongX) >= 0.8 * extentAlong(alongY) ? -68 : -22;
  const elevation = 20;
  const radians = Math.PI / 180;
  return new Vector3(
    Math.cos(elevation * radians) * Math.cos(azimuth * radians),
    Math.cos(elevation * radians) * Math.sin(azimuth * radians),
    Math.sin(elevation * radians),
  ).applyQuaternion(upright);
}
