// One plot: lines over time, a legend with the values at the cursor, and a line at the shown time.
import uPlot from 'uplot';
import type { Column } from '../contract';
import { rowAt } from '../data/chunk';
import { el, setText } from './dom';
import * as format from './format';
import { cssColour } from './theme';

export interface Line {
  label: string;
  colour: string;
  time: number[];
  values: Column;
  dash?: number[];
  /** Use the right axis. */
  right?: boolean;
  /** Rows to mark, for example uncertified steps. */
  marked?: (row: number) => boolean;
}

export interface PlotOptions {
  title: string;
  unit: string;
  log?: boolean;
  rightUnit?: string;
  /** Integers from 0. */
  counts?: boolean;
  /** A horizontal reference line, for example the tolerance. */
  level?: () => number | undefined;
}

export interface PlotActions {
  seek(time: number): void;
  zoom(from: number, to: number): void;
  zoomOut(): void;
}

/** Zero has no logarithm; logarithmic plots show it at this value. */
const kLogFloor = 1e-17;
const kFont = '11px system-ui, sans-serif';

export class PlotCard {
  readonly element: HTMLElement;
  private readonly body = el('div', { class: 'plot-body' });
  private readonly legend = el('div', { class: 'legend' });
  private readonly cursor = el('div', { class: 'plot-now' });
  private readonly hidden = new Set<string>();
  private readonly unhidden = new Set<string>();
  private plot: uPlot | undefined;
  private lines: Line[] = [];
  private chips: HTMLElement[] = [];
  private from = 0;
  private to = 1;
  private now = 0;
  private hovered: number | undefined;

  constructor(
    private readonly options: PlotOptions,
    private readonly actions: PlotActions,
  ) {
    const unit = options.rightUnit ? `${options.unit} · ${options.rightUnit}` : options.unit;
    this.element = el('section', { class: 'plot-card', 'aria-label': options.title },
      el('header', {}, el('h2', {}, options.title), el('span', { class: 'unit' }, unit)), this.legend, this.body);
    new ResizeObserver(() => this.resize()).observe(this.body);
  }

  /** `hide` selects labels that are hidden until the user shows them. */
  setLines(lines: Line[], from: number, to: number, hide: (label: string) => boolean = () => false): void {
    for (const { label } of lines) if (hide(label) && !this.unhidden.has(label)) this.hidden.add(label);
    this.lines = lines;
    this.from = from;
    this.to = to > from ? to : from + 1;
    this.rebuild();
  }

  /** Call when the colours or the size of the plot have changed. */
  rebuild(): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.body.replaceChildren();
    this.fillLegend();
    if (this.lines.length === 0) {
      this.body.append(el('p', { class: 'empty' }, 'Pick a contact in the scene.'));
      return;
    }
    const { clientWidth, clientHeight } = this.body;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.plot = new uPlot(this.plotOptions(clientWidth, clientHeight), this.data(), this.body);
    this.plot.over.append(this.cursor);
    this.listen(this.plot.over);
    this.placeCursor();
  }

  show(time: number): void {
    this.now = time;
    this.placeCursor();
    if (this.hovered === undefined) this.showValues(time);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.body;
    if (!this.plot) this.rebuild();
    else if (clientWidth > 0 && clientHeight > 0) {
      this.plot.setSize({ width: clientWidth, height: clientHeight });
      this.placeCursor();
    }
  }

  private placeCursor(): void {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.now, 'x');
    this.cursor.hidden = !(this.now >= this.from && this.now <= this.to);
    this.cursor.style.transform = `translateX(${x.toFixed(1)}px)`;
  }

  private fillLegend(): void {
    this.chips = this.lines.map((line, i) => {
      const swatch = el('i', { style: `--colour: ${line.colour}`, class: line.dash ? 'dashed' : '' });
      const chip = el('button', {
        class: 'chip', 'aria-pressed': String(!this.hidden.has(line.label)), title: `Show or hide ${line.label}`,
        onclick: () => this.toggle(i),
      }, swatch, el('span', {}, line.label), el('b'));
      return chip;
    });
    this.legend.replaceChildren(...this.chips);
    this.showValues(this.now);
  }

  private toggle(index: number): void {
    const { label } = this.lines[index];
    if (this.hidden.delete(label)) this.unhidden.add(label);
    else this.hidden.add(label);
    this.chips[index].setAttribute('aria-pressed', String(!this.hidden.has(label)));
    this.rebuild();
  }

  private showValues(time: number): void {
    this.lines.forEach((line, i) => {
      const row = rowAt(line.time, time);
      const value = line.time.length > 0 && line.time[row] <= time ? line.values[row] : undefined;
      setText(this.chips[i].lastElementChild as HTMLElement, this.hidden.has(line.label) ? '' : format.number(value));
    });
  }

  private data(): uPlot.AlignedData {
    const tables = this.lines.map((line): uPlot.AlignedData => [line.time, line.values.map((v) => this.drawn(v))]);
    return uPlot.join(tables);
  }

  private drawn(value: number | null): number | null {
    if (value === null || !this.options.log) return value;
    return Math.max(Math.abs(value), kLogFloor);
  }

  private plotOptions(width: number, height: number): uPlot.Options {
    const axis = { stroke: () => cssColour('--muted'), font: kFont, ticks: { show: false } };
    const grid = { stroke: () => cssColour('--line'), width: 1 };
    const right = this.lines.some((line) => line.right && !this.hidden.has(line.label));
    const y: uPlot.Scale = this.options.log ? { distr: 3, range: (_, low, high) => this.logRange(low, high) } : { range: this.options.counts ? countRange : niceRange };
    const ticks: Partial<uPlot.Axis> = this.options.log ? { splits: (_u, _i, low, high) => decades(low, high) }
      : this.options.counts ? { incrs: kCountSteps } : {};
    const values: uPlot.Axis.Values = (_, splits) => splits.map(this.options.log ? powerText : axisText);
    return {
      width,
      height,
      legend: { show: false },
      padding: [8, right ? 0 : 12, 0, 0],
      cursor: { drag: { x: true, y: false, setScale: false, dist: 5 }, points: { size: 5 }, y: false },
      scales: { x: { time: false, range: () => [this.from, this.to] }, y, right: { range: this.options.counts ? countRange : niceRange } },
      axes: [
        { ...axis, grid, size: 24, space: 60 },
        { ...axis, ...ticks, grid, size: 46, space: 26, values },
        ...(right ? [{ ...axis, ...ticks, scale: 'right', side: 1 as const, size: 42, space: 26, grid: { show: false }, values }] : []),
      ],
      series: [{}, ...this.lines.map((line) => this.seriesOptions(line))],
      hooks: { setSelect: [(u) => this.selected(u)], setCursor: [(u) => this.pointed(u)], draw: [(u) => this.drawExtras(u)] },
    };
  }

  private seriesOptions(line: Line): uPlot.Series {
    return {
      show: !this.hidden.has(line.label),
      stroke: line.colour,
      width: 1.5,
      scale: line.right ? 'right' : 'y',
      points: { show: line.time.length < 12, size: 5 },
      ...(line.dash ? { dash: line.dash } : {}),
    };
  }

  private logRange(low: number | null, high: number | null): [number, number] {
    const level = this.options.level?.();
    const top = Math.max(high ?? kLogFloor, level ?? kLogFloor, 10 * kLogFloor);
    const floor = Math.max(kLogFloor, Math.min(low ?? kLogFloor, level ?? Infinity));
    return [Number(`1e${Math.floor(Math.log10(floor) + 1e-9)}`), Number(`1e${Math.ceil(Math.log10(top) + 0.2)}`)];
  }

  private listen(over: HTMLElement): void {
    let pressedAt = 0;
    over.addEventListener('pointerdown', (event) => (pressedAt = event.clientX));
    over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - pressedAt) >= 5) return;
      this.actions.seek(this.plot!.posToVal(event.clientX - over.getBoundingClientRect().left, 'x'));
    });
    over.addEventListener('dblclick', () => this.actions.zoomOut());
  }

  private selected(u: uPlot): void {
    if (u.select.width < 5) return;
    const from = u.posToVal(u.select.left, 'x');
    const to = u.posToVal(u.select.left + u.select.width, 'x');
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.actions.zoom(from, to);
  }

  private pointed(u: uPlot): void {
    const left = u.cursor.left ?? -1;
    this.hovered = left >= 0 ? u.posToVal(left, 'x') : undefined;
    this.showValues(this.hovered ?? this.now);
  }

  private drawExtras(u: uPlot): void {
    const { ctx, bbox } = u;
    const level = this.options.level?.();
    if (level !== undefined && level > 0) {
      const y = Math.round(u.valToPos(level, 'y', true));
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = cssColour('--good');
      ctx.setLineDash([6, 4]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.font = `${11 * uPlot.pxRatio}px system-ui, sans-serif`;
      ctx.textAlign = 'right';
      ctx.textBaseline = 'bottom';
      ctx.fillText('certified below', bbox.left + bbox.width - 4, y - 2);
      ctx.restore();
    }
    for (const line of this.lines) this.drawMarked(u, line);
  }

  private drawMarked(u: uPlot, line: Line): void {
    if (!line.marked || this.hidden.has(line.label)) return;
    u.ctx.fillStyle = cssColour('--bad');
    line.time.forEach((time, row) => {
      if (!line.marked!(row) || time < this.from || time > this.to) return;
      const x = u.valToPos(time, 'x', true);
      const y = u.valToPos(this.drawn(line.values[row]) ?? kLogFloor, 'y', true);
      const size = 4 * uPlot.pxRatio;
      u.ctx.beginPath();
      u.ctx.moveTo(x, y + size);
      u.ctx.lineTo(x - size, y - size);
      u.ctx.lineTo(x + size, y - size);
      u.ctx.fill();
    });
  }
}

/** Pads the range at both ends, also if all values are equal. */
function niceRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [0, 1];
  const room = high > low ? 0.06 * (high - low) : Math.max(Math.abs(high) * 0.2, 1e-12);
  return [low - room, high + room];
}

const kCountSteps = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

function countRange(_: uPlot, _low: number | null, high: number | null): [number, number] {
  return [0, Math.max(1, high ?? 1) * 1.08];
}

function decades(low: number, high: number): number[] {
  const first = Math.round(Math.log10(low));
  const last = Math.round(Math.log10(high));
  const step = Math.max(1, Math.ceil((last - first) / 5));
  const splits: number[] = [];
  for (let k = Math.ceil(first / step) * step; k <= last; k += step) splits.push(Number(`1e${k}`));
  return splits;
}

function powerText(value: number | null): string {
  return value === null ? '' : value === kLogFloor ? '0' : `1e${Math.round(Math.log10(value))}`;
}

/** uPlot passes null for ticks without a label. */
function axisText(value: number | null): string {
  if (value === null) return '';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e5) return value.toExponential(0).replace('e+', 'e');
  return String(Number(value.toPrecision(6)));
}
