import { describe, expect, it } from 'vitest';
import { Playback, speedFor } from '../../src/play/playback';
import { kQualities, QualityController } from '../../src/quality';

describe('Playback', () => {
  it('stops at the end, and starts over from there', () => {
    const playback = new Playback(0, 2);
    playback.toggle();
    playback.advance(1.5);
    expect(playback.time).toBe(1.5);
    playback.advance(1);
    expect([playback.time, playback.playing]).toEqual([2, false]);
    playback.toggle();
    expect([playback.time, playback.playing]).toEqual([0, true]);
  });

  it('goes round when it loops', () => {
    const playback = new Playback(1, 3);
    playback.loop = playback.playing = true;
    playback.speed = 2;
    playback.advance(1.25);
    expect(playback.time).toBeCloseTo(1.5);
    expect(playback.playing).toBe(true);
  });

  it('never leaves the run', () => {
    const playback = new Playback(1, 3);
    playback.goTo(-7);
    expect(playback.time).toBe(1);
    playback.goTo(7);
    expect(playback.time).toBe(3);
  });

  it('does not hang on a run without length', () => {
    const playback = new Playback(0, 0);
    playback.loop = playback.playing = true;
    playback.advance(1);
    expect([playback.time, playback.playing]).toEqual([0, false]);
  });

  it('is in real time where that takes seconds to minutes', () => {
    expect([1, 8.5, 100].map(speedFor)).toEqual([1, 1, 1]);
    expect(speedFor(0.03)).toBe(0.01);
    expect(speedFor(3000)).toBe(50);
    expect(speedFor(0)).toBe(1);
  });
});

describe('The quality', () => {
  const frames = (qualityController: QualityController, count: number, seconds: number) => {
    for (let i = 0; i < count; ++i) qualityController.addFrameTime(seconds);
  };

  it('stays where frames are fast, also with a slow one now and then', () => {
    const qualityController = new QualityController();
    for (let i = 0; i < 50; ++i) {
      frames(qualityController, 20, 1 / 60);
      frames(qualityController, 1, 0.3);
    }
    expect(qualityController.level).toBe(0);
  });

  it('falls within a second and a half where they are slow, and no further than the lowest', () => {
    const qualityController = new QualityController();
    frames(qualityController, 3, 0.5);
    expect(qualityController.level).toBe(1);
    frames(qualityController, 1000, 0.5);
    expect(qualityController.level).toBe(kQualities.length - 1);
  });

  it('does not go to and fro between two levels for ever', () => {
    const qualityController = new QualityController();
    let changes = 0;
    for (let i = 0; i < 20000; ++i) if (qualityController.addFrameTime(qualityController.level === 0 ? 0.2 : 0.01)) ++changes;
    expect(changes).toBe(3);
    expect(qualityController.level).toBe(1);
  });
});
