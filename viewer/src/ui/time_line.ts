// The time line of the run: shown time, simulated part, and uncertified steps.
import type { UncertifiedStep } from '../contract';
import { el } from './dom';
import { cssColour } from './theme';
import { roundLength } from '../scene/ground';

const kEdge = 10;  // pixels left and right of the line
const kSnap = 5;  // pixels within which a click selects a mark
const kTickPixels = 90;

export class TimeLine {
  readonly element: HTMLElement;
  onSeek: (time: number) => void = () => {};
  private readonly canvas = el('canvas');
  private marks: UncertifiedStep[] = [];
  private start = 0;
  private end = 1;
  private reached = 1;
  private now = 0;

  constructor() {
    this.element = el('div', {
      class: 'time-line', role: 'slider', tabindex: 0, 'aria-label': 'Time line', onpointerdown: (e: PointerEvent) => this.drag(e),
    }, this.canvas);
    this.element.addEventListener('pointermove', (event) => this.hint(event));
  }

  /** `reached` is the simulated time. */
  setRun(start: number, end: number, reached: number, marks: UncertifiedStep[]): void {
    Object.assign(this, { start, end: end > start ? end : start + 1, reached, marks });
    this.element.setAttribute('aria-valuemin', String(start));
    this.element.setAttribute('aria-valuemax', String(end));
    this.draw();
  }

  show(time: number, text: string): void {
    if (time === this.now) return;
    this.now = time;
    this.element.setAttribute('aria-valuenow', String(time));
    this.element.setAttribute('aria-valuetext', text);
    this.draw();
  }

  /** Position of a time in pixels from the left of the element. */
  xOf(time: number): number {
    return kEdge + ((time - this.start) / (this.end - this.start)) * (this.element.clientWidth - 2 * kEdge);
  }

  draw(): void {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const paint = this.canvas.getContext('2d')!;
    paint.scale(ratio, ratio);

    const line = 17;
    paint.lineCap = 'round';
    const stroke = (from: number, to: number, colour: string, size: number) => {
      paint.strokeStyle = colour;
      paint.lineWidth = size;
      paint.beginPath();
      paint.moveTo(from, line);
      paint.lineTo(to, line);
      paint.stroke();
    };
    stroke(this.xOf(this.start), this.xOf(this.end), cssColour('--line'), 5);
    stroke(this.xOf(this.start), this.xOf(Math.max(this.start, this.reached)), cssColour('--track'), 5);
    stroke(this.xOf(this.start), this.xOf(this.now), cssColour('--accent'), 5);
    this.drawTicks(paint, height);
    this.drawMarks(paint, line);

    paint.fillStyle = cssColour('--panel');
    paint.strokeStyle = cssColour('--accent');
    paint.lineWidth = 3;
    paint.beginPath();
    paint.arc(this.xOf(this.now), line, 6.5, 0, 2 * Math.PI);
    paint.fill();
    paint.stroke();
  }

  private drawTicks(paint: CanvasRenderingContext2D, height: number): void {
    const span = this.end - this.start;
    const step = roundLength((span * kTickPixels) / Math.max(1, this.element.clientWidth));
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    paint.font = '11px system-ui, sans-serif';
    paint.fillStyle = cssColour('--muted');
    paint.textAlign = 'center';
    for (let k = Math.ceil(this.start / step - 1e-9); k * step <= this.end + 1e-9 * span; ++k) {
      const x = this.xOf(k * step);
      paint.fillRect(x - 0.5, 24, 1, 4);
      const text = (k * step).toFixed(digits);
      const half = paint.measureText(text).width / 2;
      paint.fillText(text, Math.min(Math.max(x, half + 1), this.element.clientWidth - half - 1), height - 3);
    }
  }

  /** Triangles, so that the marks do not rely on colour alone. */
  private drawMarks(paint: CanvasRenderingContext2D, line: number): void {
    paint.fillStyle = cssColour('--bad');
    let last = -1;
    for (const mark of this.marks) {
      const x = Math.round(this.xOf(mark.time));
      if (x === last) continue;
      last = x;
      paint.beginPath();
      paint.moveTo(x, line - 3);
      paint.lineTo(x - 4.5, line - 12);
      paint.lineTo(x + 4.5, line - 12);
      paint.fill();
      paint.fillRect(x - 0.75, line - 4, 1.5, 7);
    }
  }

  private timeAt(event: PointerEvent): number {
    const x = event.clientX - this.element.getBoundingClientRect().left;
    const mark = this.markAt(x);
    if (mark) return mark.time;
    return this.start + ((x - kEdge) / (this.element.clientWidth - 2 * kEdge)) * (this.end - this.start);
  }

  private markAt(x: number): UncertifiedStep | undefined {
    let nearest: UncertifiedStep | undefined;
    let minDistance = kSnap;
    for (const mark of this.marks) {
      const distance = Math.abs(this.xOf(mark.time) - x);
      if (distance < minDistance) {
        minDistance = distance;
        nearest = mark;
      }
    }
    return nearest;
  }

  private drag(event: PointerEvent): void {
    this.element.setPointerCapture(event.pointerId);
    this.onSeek(this.timeAt(event));
    const move = (e: PointerEvent) => this.onSeek(this.timeAt(e));
    this.element.addEventListener('pointermove', move);
    const done = () => this.element.removeEventListener('pointermove', move);
    this.element.addEventListener('pointerup', done, { once: true });
    this.element.addEventListener('pointercancel', done, { once: true });
  }

  private hint(event: PointerEvent): void {
    const mark = this.markAt(event.clientX - this.element.getBoundingClientRect().left);
    this.element.title = mark ? `${mark.status} at ${mark.time} s: ${mark.reason}` : '';
  }
}
