// Types of the data that the program sends to the page; docs/viewer.md is the specification.

export type Vec3 = [number, number, number];
/** w, x, y, z. */
export type Quaternion = [number, number, number, number];

export interface ShapeInfo {
  kind: string;
  radius?: number;
  length?: number;
  height?: number;
  /** Full side lengths of a box, semi-axes of an ellipsoid. */
  size?: Vec3;
  margin?: number;
  normal?: Vec3;
  offset?: number;
  vertices?: number[];
  triangles?: number[];
  position?: Vec3;
  orientation?: Quaternion;
}

export interface BodyInfo {
  name: string;
  fixed: boolean;
  shapes: ShapeInfo[];
}

export interface UncertifiedStep {
  state: number;
  time: number;
  status: string;
  reason: string;
}

export interface Parameter {
  key: string;
  /** Display name; defaults to the key. */
  label?: string;
  value: number | string;
  kind: 'number' | 'choice';
  choices?: string[];
  unit?: string;
}

export interface RunInfo {
  format: number;
  name: string;
  description: string;
  file: string;
  method: string;
  step: number;
  tolerance: number;
  planar: boolean;
  gravity: Vec3;
  states: number;
  steps: number;
  finished: boolean;
  /** Number of states per chunk, as recommended by the program. */
  chunk: number;
  start: number;
  end: number;
  uncertified: UncertifiedStep[];
  bodies: BodyInfo[];
  parameters?: Parameter[];
}

/** Values that JSON cannot represent (NaN) are null. */
export type Column = (number | null)[];

export interface Series {
  /** index, time and all columns of the energy ledger. */
  states: { index: number[]; time: number[] } & Record<string, Column>;
  steps: {
    time: number[];
    state: number[];
    natural_map: Column;
    gap_violation: Column;
    joint_violation: Column;
    contacts: Column;
    iterations: Column;
    status: number[];
  };
}

/** Components n, t, o and r of a contact. */
export type Wrench = [number, number, number, number];

export interface ContactSeries {
  time: number[];
  state: number[];
  gap: Column;
  force: Wrench[];
  velocity: Wrench[];
}

export interface ReportRun {
  info: RunInfo;
  /** Base64 of one chunk with all kept states. */
  frames: string;
  series: Series;
}

export type Boot =
  | { mode: 'served'; live: boolean; runs: string[]; film?: boolean }
  | { mode: 'report'; runs: ReportRun[]; notes?: string; film?: boolean };

export type Phase = 'running' | 'paused' | 'done' | 'failed';

export interface LiveEvent {
  phase: Phase;
  time: number;
  until: number;
  states: number;
  message?: string;
  /** Changes when the run is restarted. */
  run: number;
}

export interface Control {
  action: 'run' | 'pause' | 'reset' | 'restart';
  set?: Record<string, number | string>;
}

/** The world is body 0; it does not move. */
export const kWorld = 0;
