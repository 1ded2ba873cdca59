import { describe, expect, it } from 'vitest';
import { decodeChunk, type Chunk } from '../../src/data/chunk';
import { FrameStore } from '../../src/data/frame_store';
import type { RunSource } from '../../src/data/run_source';
import { frameAt } from '../../src/play/shown_frame';
import { encodeChunk, rollingBalls, type FixtureRun } from '../fixture/runs';

class TestSource implements RunSource {
  readonly asked: number[] = [];
  concurrent = 0;
  maxConcurrent = 0;

  constructor(readonly run: FixtureRun) {}

  info = () => Promise.reject(new Error('not asked for'));
  series = () => Promise.reject(new Error('not asked for'));
  contact = () => Promise.reject(new Error('not asked for'));

  async frames(first: number, count: number): Promise<Chunk> {
    this.asked.push(first);
    this.maxConcurrent = Math.max(this.maxConcurrent, ++this.concurrent);
    await Promise.resolve();
    --this.concurrent;
    return decodeChunk(encodeChunk(this.run, first, count));
  }
}

async function flushPromises(): Promise<void> {
  for (let i = 0; i < 50; ++i) await Promise.resolve();
}

/** States with very uneven times: t = i^power. */
function unevenRun(states: number, power: number): FixtureRun {
  const run = rollingBalls(1, states);
  return { info: { ...run.info, end: (states - 1) ** power }, state: (i) => ({ ...run.state(i), time: i ** power }) };
}

function storeOf(run: FixtureRun, chunk: number, budget?: number): { store: FrameStore; source: TestSource } {
  const source = new TestSource(run);
  return { source, store: new FrameStore(source, run.info.states, chunk, run.info.start, run.info.end, budget) };
}

describe('The frame store', () => {
  it('fetches only the chunks that are wanted, each once', async () => {
    const { store, source } = storeOf(rollingBalls(1, 1000), 10);
    store.request([503, 507, 513]);
    await flushPromises();
    store.request([503, 513]);
    await flushPromises();
    expect(source.asked).toEqual([500, 510]);
    expect(store.peek(503)!.chunk.time[3]).toBeCloseTo(5.03);
    expect(store.peek(520)).toBeUndefined();
  });

  it('has at most two requests under way, and forgets what is no longer wanted', async () => {
    const { store, source } = storeOf(rollingBalls(1, 1000), 10);
    store.request([0, 10, 20, 30, 40]);
    store.request([900]);
    await flushPromises();
    expect(source.maxConcurrent).toBe(2);
    expect(source.asked).toEqual([0, 10, 900]);
  });

  it('drops the least recently used chunks past its budget', async () => {
    const { store } = storeOf(rollingBalls(1, 1000), 10, 1);
    for (const state of [0, 10, 20, 30]) {
      store.request([state]);
      await flushPromises();
    }
    store.peek(0);
    store.request([40]);
    await flushPromises();
    expect([0, 10, 20, 30, 40].map((s) => store.peek(s) !== undefined)).toEqual([true, false, true, true, true]);
  });

  it.each([2, 0.5])('locates every state at times i^%d, from no knowledge but the ends', async (power) => {
    const run = unevenRun(300, power);
    for (const chunk of [1, 7, 64, 300]) {
      for (let state = 0; state < 300; state += 13) {
        const { store } = storeOf(run, chunk);
        const time = run.state(state).time;
        let located = store.locate(time);
        for (let i = 0; i < 300 && !located.exact; ++i) {
          store.request([located.state]);
          await flushPromises();
          located = store.locate(time);
        }
        expect([chunk, located.state]).toEqual([chunk, state]);
      }
    }
  });

  it('needs a single chunk where it knows the times', async () => {
    const run = unevenRun(300, 2);
    const { store, source } = storeOf(run, 10);
    store.addKnownTimes(Array.from({ length: 300 }, (_, i) => i), Array.from({ length: 300 }, (_, i) => run.state(i).time));
    const { state } = store.locate(run.state(123).time);
    store.request([state]);
    await flushPromises();
    expect(store.locate(run.state(123).time)).toEqual({ state: 123, exact: true });
    expect(source.asked).toEqual([120]);
  });

  it('fetches the last chunk again when the run has grown', async () => {
    const run = rollingBalls(1, 25);
    const source = new TestSource(run);
    const store = new FrameStore(source, 15, 10, 0, 0.14);
    store.request([14]);
    await flushPromises();
    expect(store.peek(15)).toBeUndefined();
    store.grow(18, 0.17);
    store.request([17]);
    await flushPromises();
    expect(store.peek(17)!.row).toBe(7);
    expect(source.asked).toEqual([10, 10]);
  });

  it('says when a chunk cannot be had', async () => {
    const source = new TestSource(rollingBalls(1, 10));
    source.frames = () => Promise.reject(new Error('gone'));
    const store = new FrameStore(source, 10, 10, 0, 0.09);
    const errors: string[] = [];
    store.onError = (error) => errors.push(error.message);
    store.request([0]);
    await flushPromises();
    expect(errors).toEqual(['gone']);
  });
});

describe('frameAt', () => {
  it('shows the nearest state as it is when stepping, and moves between states when playing', async () => {
    const { store } = storeOf(rollingBalls(1, 100), 10);
    store.request([10, 0]);
    await flushPromises();
    expect(frameAt(store, 0.093, false)).toMatchObject({ state: 9, blend: 0 });
    expect(frameAt(store, 0.0951, false)).toMatchObject({ state: 10, blend: 0 });
    const between = frameAt(store, 0.0925, true)!;
    expect(between.state).toBe(9);
    expect(between.blend).toBeCloseTo(0.25);
    expect(between.from.chunk.first).toBe(0);
    expect(between.to.chunk.first).toBe(10);
  });

  it('has nothing to show until the chunk is there', () => {
    const { store } = storeOf(rollingBalls(1, 100), 10);
    expect(frameAt(store, 0.5, false)).toBeUndefined();
  });

  it('ends at the last state', async () => {
    const { store } = storeOf(rollingBalls(1, 100), 100);
    store.request([99]);
    await flushPromises();
    expect(frameAt(store, 5, true)).toMatchObject({ state: 99, blend: 0 });
  });
});
