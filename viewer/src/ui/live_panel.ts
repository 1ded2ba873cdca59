// Panel of a live simulation: run, pause, restart, progress and parameters.
import type { Control, LiveEvent, Parameter, Phase } from '../contract';
import { el, setText } from './dom';
import * as format from './format';

const kPhases: Record<Phase, string> = { running: 'simulating', paused: 'paused', done: 'finished', failed: 'stopped' };

export class LivePanel {
  readonly element: HTMLElement;
  private readonly phase = el('span', { class: 'phase' });
  private readonly progress = el('progress', { max: 1, value: 0, 'aria-label': 'Progress' });
  private readonly message = el('p', { class: 'muted' });
  private readonly error = el('p', { class: 'error', role: 'alert', hidden: true });
  private readonly run: HTMLButtonElement;
  private readonly edge: HTMLButtonElement;
  private readonly form: HTMLFormElement;
  private running = true;
  private filled = false;

  constructor(private readonly control: (control: Control) => void, goToEdge: () => void) {
    this.run = el('button', { class: 'toggle', onclick: () => control({ action: this.running ? 'pause' : 'run' }) }, 'Pause');
    this.edge = el('button', { class: 'toggle', title: 'Show the newest state', onclick: goToEdge }, 'Newest');
    this.form = el('form', { class: 'parameters', onsubmit: (event: Event) => {
      event.preventDefault();
      this.restart();
    } });
    this.element = el('section', { class: 'panel', 'aria-label': 'Simulation' },
      el('div', { class: 'picked-head' }, el('h2', {}, 'Simulation'), this.phase), this.progress,
      el('div', { class: 'live-buttons' }, this.run,
        el('button', { class: 'toggle', onclick: () => control({ action: 'reset' }) }, 'Reset'), this.edge),
      this.message, this.error, this.form);
  }

  show(event: LiveEvent, parameters: Parameter[]): void {
    if (!this.filled) this.setParameters(parameters);
    this.running = event.phase === 'running';
    setText(this.run, this.running ? 'Pause' : 'Run');
    this.run.disabled = event.phase === 'done' || event.phase === 'failed';
    setText(this.phase, kPhases[event.phase]);
    this.phase.dataset.phase = event.phase;
    this.progress.value = event.until > 0 ? event.time / event.until : 0;
    setText(this.message, `${format.number(event.time)} of ${format.number(event.until)} s${event.message ? `: ${event.message}` : ''}`);
  }

  showEdge(atEdge: boolean): void {
    this.edge.setAttribute('aria-pressed', String(atEdge));
  }

  showError(text: string): void {
    setText(this.error, text);
    this.error.hidden = text === '';
  }

  setParameters(parameters: Parameter[]): void {
    this.filled = true;
    const fields = parameters.map((parameter) => el('label', {},
      el('span', { title: parameter.key }, parameter.label ?? parameter.key), field(parameter),
      el('span', { class: 'unit' }, parameter.unit === '1' ? '' : parameter.unit ?? '')));
    const buttons = el('button', { class: 'toggle', type: 'submit' }, 'Restart with these');
    this.form.replaceChildren(...fields, ...(parameters.length > 0 ? [buttons] : []));
  }

  /** Sends only changed values; all others keep the values of the scene. */
  private restart(): void {
    const set: Record<string, number | string> = {};
    for (const input of this.form.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]')) {
      if (input.value === input.dataset.was) continue;
      const value = input.dataset.kind === 'number' ? Number(input.value) : NaN;
      set[input.name] = Number.isNaN(value) ? input.value : value;  // the program reports invalid values
    }
    this.control({ action: 'restart', set });
  }
}

function field(parameter: Parameter): HTMLElement {
  const common = { name: parameter.key, 'data-was': String(parameter.value), 'data-kind': parameter.kind };
  if (parameter.kind === 'choice') {
    return el('select', common, ...(parameter.choices ?? []).map((choice) =>
      el('option', { value: choice, selected: choice === parameter.value }, choice)));
  }
  return el('input', { ...common, type: 'text', inputmode: 'decimal', value: parameter.value });
}
