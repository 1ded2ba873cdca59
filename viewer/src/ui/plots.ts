// The plots of all runs, over a common time axis.
import type { ContactSeries, RunInfo, Series } from '../contract';
import type { Theme } from '../scene/palette';
import { el } from './dom';
import { cssColour } from './theme';
import { PlotCard, type Line, type PlotActions } from './plot_card';

export interface PlottedRun {
  info: RunInfo;
  series: Series | undefined;
}

/**
 * With one run, ledger columns have the same colour in all plots. With several runs, colours distinguish the
 * runs and dashes the columns.
 */
const kColumnColours: Record<Theme, string[]> = {
  light: ['#0068b5', '#d55e00', '#1c2430', '#00856a', '#a3528a', '#8a6d00', '#56a5d8', '#777f8a', '#b3361f', '#4c5fb8', '#2f8f3a', '#999999'],
  dark: ['#5bb8f5', '#f5a142', '#e8edf3', '#3fcfa6', '#e08ec4', '#e6d04a', '#9ccdf0', '#a7b0bb', '#ff7f66', '#94a4f7', '#7fdc8b', '#888888'],
};
const kDashes: number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];
/** Colours of runs side by side, --run-1 and following in style.css. */
const kRunColours = 5;
const kCertified = 0;

export class Plots {
  readonly element = el('section', { class: 'plots', 'aria-label': 'Plots' });
  private readonly energy: PlotCard;
  private readonly gaps: PlotCard;
  private readonly residual: PlotCard;
  private readonly counts: PlotCard;
  private readonly force: PlotCard;
  private runs: PlottedRun[] = [];
  private contact: { series: ContactSeries; step: number } | undefined;
  private theme: Theme = 'light';
  private from = 0;
  private to = 1;

  constructor(actions: PlotActions) {
    const tolerance = () => (this.runs.length > 0 ? Math.min(...this.runs.map((run) => run.info.tolerance)) : undefined);
    this.energy = new PlotCard({ title: 'Energy and work', unit: 'J' }, actions);
    this.residual = new PlotCard({ title: 'Residual of each step', unit: 'log', log: true, level: tolerance }, actions);
    this.gaps = new PlotCard({ title: 'Overlap and joint error', unit: 'm, log', log: true }, actions);
    this.counts = new PlotCard({ title: 'Contacts and iterations', unit: 'left', rightUnit: 'right', counts: true }, actions);
    this.force = new PlotCard({ title: 'Force of the contact', unit: 'N, N m' }, actions);
    this.element.append(...this.cards.map((card) => card.element));
  }

  private get cards(): PlotCard[] {
    return [this.energy, this.residual, this.gaps, this.counts, this.force];
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.fill();
  }

  setRuns(runs: PlottedRun[], from: number, to: number): void {
    this.runs = runs;
    this.from = from;
    this.to = to;
    this.fill();
  }

  setContact(series: ContactSeries | undefined, step: number): void {
    this.contact = series && { series, step };
    this.fillForce();
  }

  show(time: number): void {
    for (const card of this.cards) card.show(time);
  }

  private fill(): void {
    const put = (card: PlotCard, make: (series: Series) => Line[]) => card.setLines(this.overRuns(make), this.from, this.to);
    this.energy.setLines(this.overRuns(energyLines), this.from, this.to, (label) => this.runs.length > 1 && !/^(kinetic|potential)/.test(label));
    put(this.residual, ({ steps }) => [{
      label: 'residual', colour: '', time: steps.time, values: steps.natural_map, marked: (row) => steps.status[row] !== kCertified,
    }]);
    put(this.gaps, ({ steps }) => [
      { label: 'overlap', colour: '', time: steps.time, values: steps.gap_violation },
      ...(anyNonZero(steps.joint_violation) ? [{ label: 'joints', colour: '', time: steps.time, values: steps.joint_violation }] : []),
    ]);
    put(this.counts, ({ steps }) => [
      { label: 'contacts', colour: '', time: steps.time, values: steps.contacts },
      { label: 'iterations', colour: '', time: steps.time, values: steps.iterations, right: true },
    ]);
    this.fillForce();
  }

  /** The lines of all runs with their colours and, if there are several runs, their numbers. */
  private overRuns(make: (series: Series) => Line[]): Line[] {
    const several = this.runs.length > 1;
    return this.runs.flatMap(({ series }, run) => {
      if (!series) return [];
      return make(series).map((line, column) => {
        const dash = kDashes[column % kDashes.length];
        if (!several) return { ...line, colour: kColumnColours[this.theme][column % 12] };
        const colour = cssColour(`--run-${(run % kRunColours) + 1}`);
        return { ...line, label: `${line.label} ${run + 1}`, colour, ...(dash.length > 0 ? { dash } : {}) };
      });
    });
  }

  private fillForce(): void {
    if (!this.contact) {
      this.force.setLines([], this.from, this.to);
      return;
    }
    const { series, step } = this.contact;
    const { time, rows } = withBreaks(series.time, step);
    const names = ['normal', 'tangent t', 'tangent o', 'torque r'];
    const lines = names.map((label, k): Line => ({
      label, colour: kColumnColours[this.theme][k], time, values: rows.map((row) => (row < 0 ? null : series.force[row][k])),
    })).filter((line, k) => k < 3 || anyNonZero(line.values));
    this.force.setLines(lines, this.from, this.to);
  }
}

export function runLabel(info: RunInfo, run: number): string {
  return `${run + 1} ${info.method}`;
}

function energyLines({ states }: Series): Line[] {
  const { index: _, time, kinetic, potential, ...works } = states;
  const total = time.map((_t, i) => (kinetic[i] ?? 0) + (potential[i] ?? 0));
  const line = (label: string, values: (number | null)[]): Line => ({ label, colour: '', time, values });
  const others = Object.entries(works).filter(([, values]) => anyNonZero(values));
  return [line('kinetic', kinetic), line('potential', potential), line('total', total), ...others.map(([key, v]) => line(key, v))];
}

function anyNonZero(values: (number | null)[]): boolean {
  return values.some((value) => value !== null && value !== 0);
}

/** A contact that disappears for a while leaves a gap in its line: row -1. */
export function withBreaks(time: number[], step: number): { time: number[]; rows: number[] } {
  // States of a report may be further apart than the steps.
  const apart = time.slice(1).map((t, i) => t - time[i]).sort((a, b) => a - b);
  const longest = 2.5 * Math.max(step, apart[apart.length >> 1] ?? 0);
  const out: { time: number[]; rows: number[] } = { time: [], rows: [] };
  time.forEach((t, row) => {
    if (row > 0 && t - time[row - 1] > longest) {
      out.time.push((t + time[row - 1]) / 2);
      out.rows.push(-1);
    }
    out.time.push(t);
    out.rows.push(row);
  });
  return out;
}
