// The shown time and its progress. Independent of states and drawing.

export const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50];

/** Chooses a speed at which the run takes between 3 s and 2 min; real time if possible. */
export function speedFor(duration: number): number {
  if (!(duration > 0)) return 1;
  if (duration < 0.8) return closestSpeed(duration / 3);
  if (duration > 120) return closestSpeed(duration / 60);
  return 1;
}

function closestSpeed(speed: number): number {
  const distance = (s: number) => Math.abs(Math.log(s / speed));
  return kSpeeds.reduce((best, s) => (distance(s) < distance(best) ? s : best));
}

export class Playback {
  playing = false;
  loop = false;
  speed = 1;
  time: number;

  constructor(
    public start: number,
    public end: number,
  ) {
    this.time = start;
  }

  /** Advances by `seconds` of wall time. */
  advance(seconds: number): void {
    if (!this.playing) return;
    const next = this.time + seconds * this.speed;
    if (next < this.end) this.time = next;
    else if (this.loop && this.end > this.start) this.time = this.start + ((next - this.start) % (this.end - this.start));
    else {
      this.time = this.end;
      this.playing = false;
    }
  }

  goTo(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
  }

  /** At the end, playing starts over. */
  toggle(): void {
    if (!this.playing && this.time >= this.end) this.time = this.start;
    this.playing = !this.playing;
  }
}
