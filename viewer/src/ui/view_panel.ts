// Switches for the elements of the scene.
import type { StageOptions } from '../scene/stage';
import { kContactSymbols, kContactStates } from '../scene/palette';
import { el } from './dom';

export const kDefaultOptions: StageOptions = {
  markers: true, forces: true, normals: false, friction: false, forceScale: 1,
  trails: true, names: false, grid: true, seeThrough: false,
};

type Switch = Exclude<keyof StageOptions, 'forceScale'>;
const kSwitches: [Switch, string][] = [
  ['markers', 'Contacts'], ['forces', 'Forces'], ['normals', 'Normals'], ['friction', 'Friction'],
  ['trails', 'Trails'], ['names', 'Names'], ['grid', 'Grid'], ['seeThrough', 'See through'],
];

export class ViewPanel {
  readonly element: HTMLElement;

  constructor(options: StageOptions, onChange: () => void) {
    const switches = kSwitches.map(([key, label]) => {
      const button = el('button', { class: 'toggle', 'aria-pressed': String(options[key]), 'data-option': key, onclick: () => {
        options[key] = !options[key];
        button.setAttribute('aria-pressed', String(options[key]));
        onChange();
      } }, label);
      return button;
    });
    const scale = el('input', { type: 'range', min: -2, max: 2, step: 0.1, value: 0, 'aria-label': 'Length of force arrows', oninput: () => {
      options.forceScale = 10 ** Number(scale.value);
      onChange();
    } });
    const key = el('ul', { class: 'key', 'aria-label': 'Contact markers' },
      ...[2, 1, 0].map((state) => el('li', {}, el('i', { class: `state-${state}` }, kContactSymbols[state]), kContactStates[state])));
    this.element = el('section', { class: 'panel', 'aria-label': 'Show' },
      el('h2', {}, 'Show'), el('div', { class: 'switches' }, ...switches),
      el('label', { class: 'slider' }, 'Arrows', scale), key);
  }
}
