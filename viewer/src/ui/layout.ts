// Layout of the page.
import type { RunInfo } from '../contract';
import { kQualities } from '../quality';
import { el, setText } from './dom';
import { icon } from './icons';

export interface LayoutParts {
  transport: HTMLElement;
  timeLine: HTMLElement;
  plots: HTMLElement;
  panels: HTMLElement[];
  toggleTheme(): void;
  /** undefined: automatic. */
  setQuality(level: number | undefined): void;
  frameAll(): void;
  showHelp(): void;
  resized(): void;
}

export class Layout {
  private readonly title = el('h1');
  private readonly badges = el('div', { class: 'badges' });
  private readonly notes = el('p', { class: 'notes', role: 'status', hidden: true });
  private readonly stages = el('div', { class: 'stages' });
  private readonly cost = el('output', { class: 'cost', 'aria-label': 'Cost of drawing' });
  private readonly runPanels = el('div');

  constructor(page: HTMLElement, parts: LayoutParts) {
    const quality = el('select', { 'aria-label': 'Quality', title: 'Quality of drawing', onchange: () => {
      parts.setQuality(quality.value === '' ? undefined : Number(quality.value));
    } }, el('option', { value: '' }, 'automatic'), ...kQualities.map(({ name }, level) => el('option', { value: level }, name)));
    const button = (label: string, act: () => void, content: Node | string) =>
      el('button', { class: 'icon', 'aria-label': label, title: label, onclick: act }, content);
    const header = el('header', { class: 'top' },
      this.title, this.badges, this.notes, el('div', { class: 'grow' }),
      el('label', { class: 'quality' }, 'Quality', quality),
      button('Frame all (r)', parts.frameAll, icon('frame')),
      button('Light or dark (t)', parts.toggleTheme, icon('theme')),
      button('Help (?)', parts.showHelp, '?'));
    const view = el('div', { class: 'view' }, this.stages, this.cost);
    const side = el('aside', { class: 'side' }, ...parts.panels, this.runPanels);
    const bottom = el('div', { class: 'bottom' }, el('div', { class: 'time' }, parts.transport, parts.timeLine), parts.plots);
    page.replaceChildren(header, view, side, bottom);
    new ResizeObserver(() => parts.resized()).observe(view);
  }

  setTitle(runs: RunInfo[]): void {
    const names = [...new Set(runs.map((run) => run.name))].join(' · ');
    setText(this.title, names);
    document.title = `${names} – Pawl`;
    const uncertified = runs.reduce((sum, run) => sum + run.uncertified.length, 0);
    const steps = runs.reduce((sum, run) => sum + run.steps, 0);
    const badge = uncertified === 0
      ? el('span', { class: 'badge good' }, `✓ all ${steps} steps certified`)
      : el('span', { class: 'badge bad' }, `▼ ${uncertified} of ${steps} steps not certified`);
    this.badges.replaceChildren(...(steps > 0 ? [badge] : []));
  }

  setStages(stages: { element: HTMLElement; caption: string }[]): void {
    this.stages.replaceChildren(...stages.map(({ element, caption }) =>
      el('figure', {}, element, ...(caption ? [el('figcaption', {}, caption)] : []))));
  }

  setRunPanels(panels: HTMLElement[]): void {
    this.runPanels.replaceChildren(...panels);
  }

  note(text: string): void {
    this.notes.hidden = false;
    setText(this.notes, text);
  }

  showCost(text: string): void {
    setText(this.cost, text);
  }
}
