// Cache of the states of a run: chunks are fetched on demand, and the least recently used are dropped.
import { rowAt, type Chunk } from './chunk';
import type { RunSource } from './run_source';

/** A state in its chunk. */
export interface Frame {
  chunk: Chunk;
  row: number;
}

/** Two concurrent requests keep the connection busy; more would make scrubbing wait for obsolete chunks. */
const kMaxConcurrentRequests = 2;
const kMinChunks = 4;

export class FrameStore {
  /** Called when a chunk has arrived. */
  onChunk: () => void = () => {};
  onError: (error: Error) => void = () => {};

  private readonly chunks = new Map<number, Chunk>();  // in order of use, most recently used last
  private readonly pending = new Set<number>();
  private requested: number[] = [];
  private readonly anchors: TimeAnchors;

  constructor(
    private readonly source: RunSource,
    private states: number,
    private readonly chunkStates: number,
    start: number,
    end: number,
    private readonly budgetBytes = 256e6,
  ) {
    this.anchors = new TimeAnchors(states, start, end);
  }

  get stateCount(): number {
    return this.states;
  }

  /** Called when a live run has advanced. */
  grow(states: number, end: number): void {
    this.states = states;
    this.anchors.add(states - 1, end);
  }

  /** Adds known times of states, which make `locate` exact if states are not evenly spaced. */
  addKnownTimes(index: number[], time: number[]): void {
    for (let i = 0; i < index.length; ++i) this.anchors.add(index[i], time[i]);
  }

  /** The state if it is cached. */
  peek(state: number): Frame | undefined {
    const key = this.keyOf(state);
    const chunk = this.chunks.get(key);
    if (!chunk || state >= chunk.first + chunk.count) return undefined;
    this.chunks.delete(key);
    this.chunks.set(key, chunk);
    return { chunk, row: state - chunk.first };
  }

  /**
   * The last state with time ≤ `time`. It is an estimate unless `exact`, which requires that its chunk is
   * cached.
   */
  locate(time: number): { state: number; exact: boolean } {
    const state = this.anchors.stateAt(time);
    const chunk = this.peek(state)?.chunk;
    if (!chunk) return { state, exact: false };
    // The ends of cached chunks are anchors, so the estimate is in the right chunk or just before a missing
    // one.
    const next = chunk.first + chunk.count;
    if (time > chunk.time[chunk.count - 1] && next < this.states && !this.peek(next)) return { state: next, exact: false };
    return { state: chunk.first + rowAt(chunk.time, time), exact: true };
  }

  /**
   * Requests the chunks of these states, most important first. Earlier requests that have not started are
   * dropped.
   */
  request(states: number[]): void {
    const keys = states.filter((s) => s >= 0 && s < this.states).map((s) => this.keyOf(s));
    this.requested = [...new Set(keys)].filter((key) => !this.complete(key));
    this.pump();
  }

  private keyOf(state: number): number {
    return Math.floor(state / this.chunkStates);
  }

  private complete(key: number): boolean {
    const chunk = this.chunks.get(key);
    if (!chunk) return false;
    return chunk.first + chunk.count >= Math.min(this.states, (key + 1) * this.chunkStates);
  }

  private pump(): void {
    while (this.pending.size < kMaxConcurrentRequests) {
      const key = this.requested.find((k) => !this.pending.has(k));
      if (key === undefined) return;
      this.requested = this.requested.filter((k) => k !== key);
      void this.fetch(key);
    }
  }

  private async fetch(key: number): Promise<void> {
    this.pending.add(key);
    try {
      const first = key * this.chunkStates;
      const chunk = await this.source.frames(first, Math.min(this.chunkStates, this.states - first));
      if (chunk.count > 0) this.keep(key, chunk);
    } catch (error) {
      this.onError(error as Error);
    } finally {
      this.pending.delete(key);
    }
    this.onChunk();
    this.pump();
  }

  private keep(key: number, chunk: Chunk): void {
    this.chunks.delete(key);
    this.chunks.set(key, chunk);
    this.anchors.add(chunk.first, chunk.time[0]);
    this.anchors.add(chunk.first + chunk.count - 1, chunk.time[chunk.count - 1]);

    let bytes = 0;
    for (const each of this.chunks.values()) bytes += each.bytes;
    for (const [oldest, each] of this.chunks) {
      if (bytes <= this.budgetBytes || this.chunks.size <= kMinChunks) break;
      this.chunks.delete(oldest);
      bytes -= each.bytes;
    }
  }
}

/** States with known times, and linear interpolation between them. */
class TimeAnchors {
  private readonly known = new Map<number, number>();
  private sorted: [number, number][] | undefined;

  constructor(states: number, start: number, end: number) {
    this.add(0, start);
    if (states > 1) this.add(states - 1, end);
  }

  add(state: number, time: number): void {
    if (this.known.get(state) === time) return;
    this.known.set(state, time);
    this.sorted = undefined;
  }

  stateAt(time: number): number {
    this.sorted ??= [...this.known].sort((a, b) => a[0] - b[0]);
    const list = this.sorted;
    let low = 0;
    let high = list.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list[middle][1] <= time) low = middle;
      else high = middle - 1;
    }
    const [state, at] = list[low];
    if (low + 1 === list.length || time <= at) return state;
    const [nextState, nextAt] = list[low + 1];
    return Math.min(nextState, state + Math.floor(((time - at) / (nextAt - at)) * (nextState - state)));
  }
}
