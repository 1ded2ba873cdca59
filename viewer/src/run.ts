// One run on the page: its data, its scene, and its shown state.
import type { RunInfo, Series } from './contract';
import { contactId, findContact } from './data/chunk';
import { FrameStore, type Frame } from './data/frame_store';
import type { RunSource } from './data/run_source';
import { frameAt, type ShownFrame } from './play/shown_frame';
import { Stage } from './scene/stage';
import { withPlaceholderShapes } from './scene/placeholder_shapes';

/** Intervals of a series: about the number of pixels of a plot. */
const kSeriesPoints = 500;
/** Number of later states considered for framing. */
const kSamples = 6;

export class Run {
  series: Series | undefined;
  shown: ShownFrame | undefined;
  /** Shown regardless of the time: stepping moves from state to state, even if two have the same time. */
  pinned: number | undefined;

  private constructor(
    readonly source: RunSource,
    public info: RunInfo,
    readonly store: FrameStore,
    readonly stage: Stage,
  ) {}

  static async open(source: RunSource, smooth: boolean): Promise<Run> {
    const info = await source.info();
    const store = new FrameStore(source, info.states, Math.max(1, info.chunk), info.start, info.end);
    const first = await source.frames(0, 1);
    if (first.count === 0) throw new Error(`${info.name}: the run has no states`);
    const later = await samples(source, info.states);
    const start = { chunk: first, row: 0 };
    return new Run(source, info, store, new Stage(withPlaceholderShapes(info, start), store, start, later, smooth));
  }

  async loadSeries(from?: number, to?: number): Promise<void> {
    this.series = await this.source.series(kSeriesPoints, from, to);
    this.store.addKnownTimes(this.series.states.index, this.series.states.time);
  }

  /** Requests the states for this time and the next ones in this direction. */
  prefetch(time: number, direction: number): void {
    const state = this.pinned ?? this.store.locate(time).state;
    const far = Math.max(1, this.info.chunk) * (direction < 0 ? -1 : 1);
    this.store.request([state, state + 1, state + far, state + 2 * far, state - far]);
  }

  /** The frame at this time; undefined while it is being fetched. */
  frameAt(time: number, between: boolean): ShownFrame | undefined {
    if (this.pinned === undefined) return frameAt(this.store, time, between);
    const frame = this.store.peek(this.pinned);
    return frame && { state: this.pinned, frame, from: frame, to: frame, blend: 0 };
  }

  contactIndex(id: string): number {
    return this.shown ? findContact(this.shown.frame.chunk, this.shown.frame.row, id) : -1;
  }

  contactName(contact: number): { id: string; bodies: [number, number] } {
    const { chunk } = this.shown!.frame;
    return { id: contactId(chunk, contact), bodies: [chunk.contactBodies[2 * contact], chunk.contactBodies[2 * contact + 1]] };
  }
}

async function samples(source: RunSource, states: number): Promise<Frame[]> {
  const wanted = Array.from({ length: kSamples }, (_, k) => Math.round(((k + 1) / kSamples) * (states - 1)));
  return Promise.all([...new Set(wanted)].map(async (state) => {
    const chunk = await source.frames(state, 1);
    return { chunk, row: Math.min(Math.max(0, state - chunk.first), chunk.count - 1) };
  }));
}
