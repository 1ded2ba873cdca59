// The state, or the interpolation between two states, that a run shows at a time.
import type { Frame, FrameStore } from '../data/frame_store';

export interface ShownFrame {
  /** The state whose values and contacts are shown. */
  state: number;
  frame: Frame;
  /** Poses are interpolated from `from` to `to` with this fraction; 0 for an exact state. */
  from: Frame;
  to: Frame;
  blend: number;
}

/**
 * The frame to show at this time, or undefined while its chunk is being fetched. If `between`, poses are
 * interpolated, as in playback; otherwise the nearest state is shown.
 */
export function frameAt(store: FrameStore, time: number, between: boolean): ShownFrame | undefined {
  const { state, exact } = store.locate(time);
  if (!exact) return undefined;
  const frame = store.peek(state);
  if (!frame) return undefined;
  const next = state + 1 < store.stateCount ? store.peek(state + 1) : undefined;
  if (!next) return { state, frame, from: frame, to: frame, blend: 0 };

  const t0 = frame.chunk.time[frame.row];
  const t1 = next.chunk.time[next.row];
  const fraction = t1 > t0 ? Math.min(Math.max((time - t0) / (t1 - t0), 0), 1) : 0;
  if (between) {
    const nearest = fraction < 0.5 ? { state, frame } : { state: state + 1, frame: next };
    return { ...nearest, from: frame, to: next, blend: fraction };
  }
  // Times from JSON or a slider may differ from a state's by rounding: use the nearest.
  return fraction < 0.5
    ? { state, frame, from: frame, to: frame, blend: 0 }
    : { state: state + 1, frame: next, from: next, to: next, blend: 0 };
}
