// Panel with the description of a run.
import type { RunInfo } from '../contract';
import { el } from './dom';
import { Facts, type Fact } from './facts';
import * as format from './format';

export function runPanel(info: RunInfo, title: string): HTMLElement {
  const facts = new Facts();
  facts.show(runFacts(info));
  return el('section', { class: 'panel', 'aria-label': title },
    el('h2', {}, title), ...(info.description ? [el('p', { class: 'muted' }, info.description)] : []), facts.element);
}

function runFacts(info: RunInfo): Fact[] {
  const certified = info.steps - info.uncertified.length;
  return [
    { label: 'method', values: [info.method] },
    { label: 'step', values: [format.short(info.step)], unit: 's' },
    { label: 'certified', values: [`${certified} of ${info.steps} steps`] },
    { label: 'tolerance', values: [format.short(info.tolerance)] },
    { label: 'moving bodies', values: [String(info.bodies.filter((body) => !body.fixed).length)] },
  ];
}
